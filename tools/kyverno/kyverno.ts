import { chmod, cp, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cached, cacheRoot } from '../../src/lab/cache.ts'
import { go, release } from '../go/go.ts'
import { withProgress } from '../kube/progress.ts'

/** The first release that does not delete what it generated every hour. */
const version = '1.19.1'
/** What the Go module of that release must hash to. */
const sum = 'h1:/MkgFii3/VlQfKR1JpC9tVwNNVNQTt2S4U6qCsafsTU='
const entry = { name: 'kyverno', version }

/** The command line tool, and the two controllers that generating takes. */
const commands = {
  'kubectl-kyverno': './cmd/cli/kubectl-kyverno',
  kyverno: './cmd/kyverno',
  'background-controller': './cmd/background-controller',
}

export interface Kyverno {
  readonly cli: string
  readonly admission: string
  readonly background: string
  /** A folder of folders of CRDs. */
  readonly crds: string
  /** Kyverno's own chart, without the charts of others that it would fetch. */
  readonly chart: string
}

/** The Kyverno that the tests use, if it was brought before. */
export async function locateKyverno(): Promise<Kyverno | undefined> {
  const folder = join(cacheRoot(), entry.name, entry.version)
  return stat(folder).then(
    () => partsIn(folder),
    () => undefined,
  )
}

/** The same, compiled into the cache if it is not there: minutes. Throws, with the reason, where that cannot be done. */
export async function provideKyverno(env: NodeJS.ProcessEnv): Promise<Kyverno> {
  const label = `compiling Kyverno ${version}`
  return partsIn(await cached(entry, (folder) => withProgress(process.stderr, label, () => compile(folder, env))))
}

function partsIn(folder: string): Kyverno {
  return {
    cli: join(folder, 'kubectl-kyverno'),
    admission: join(folder, 'kyverno'),
    background: join(folder, 'background-controller'),
    crds: join(folder, 'crds'),
    chart: join(folder, 'chart'),
  }
}

/** In a copy of its own module: `go install` refuses a module that replaces another, as Kyverno's does. */
async function compile(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const source = await mkdtemp(join(tmpdir(), 'oooi-kyverno-'))
  try {
    const answer = await go(['mod', 'download', '-json', `github.com/kyverno/kyverno@v${version}`], {
      cwd: source,
      env,
    })
    const { Dir, Sum }: { Dir: string; Sum: string } = JSON.parse(answer)
    if (Sum !== sum) throw new Error(`the module of Kyverno ${version} hashes to ${Sum}, expected ${sum}`)
    await cp(Dir, source, { recursive: true })
    // The module cache is read-only, and so are copies of its directories; those could not be removed.
    await chmod(source, 0o755)
    for (const [name, goPackage] of Object.entries(commands)) {
      await go(['build', ...release, '-mod=readonly', '-o', join(folder, name), goPackage], { cwd: source, env })
    }
    await cp(join(source, 'config', 'crds'), join(folder, 'crds'), { recursive: true })
    await takeChart(join(source, 'charts', 'kyverno'), join(folder, 'chart'))
  } finally {
    await rm(source, { recursive: true, force: true })
  }
}

async function takeChart(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, filter: (path) => path !== join(from, 'charts') })
  await chmod(join(to, 'Chart.yaml'), 0o644)
  const about = await readFile(join(to, 'Chart.yaml'), 'utf8')
  await writeFile(join(to, 'Chart.yaml'), about.replace(/^dependencies:\n(?: .*\n)*/m, ''))
  await rm(join(to, 'Chart.lock'), { force: true })
}
