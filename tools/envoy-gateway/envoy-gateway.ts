import { chmod, cp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cached, cacheRoot } from '../../src/lab/cache.ts'
import { go, release } from '../go/go.ts'
import { withProgress } from '../kube/progress.ts'

const version = '1.9.1'
const entry = { name: 'envoy-gateway', version }

export interface EnvoyGateway {
  readonly binary: string
  /** Its own chart, with the kinds of the Gateway API. */
  readonly chart: string
}

/** The Envoy Gateway that the tests use, if it was brought before. */
export async function locateEnvoyGateway(): Promise<EnvoyGateway | undefined> {
  const folder = join(cacheRoot(), entry.name, entry.version)
  return stat(folder).then(
    () => partsIn(folder),
    () => undefined,
  )
}

/** The same, compiled into the cache if it is not there: minutes. Throws, with the reason, where that cannot be done. */
export async function provideEnvoyGateway(env: NodeJS.ProcessEnv): Promise<EnvoyGateway> {
  const label = `compiling Envoy Gateway ${version}`
  return partsIn(await cached(entry, (folder) => withProgress(process.stderr, label, () => compile(folder, env))))
}

function partsIn(folder: string): EnvoyGateway {
  return { binary: join(folder, 'envoy-gateway'), chart: join(folder, 'chart') }
}

async function compile(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const module = `github.com/envoyproxy/gateway`
  await go(['install', ...release, `${module}/cmd/envoy-gateway@v${version}`], {
    cwd: folder,
    env: { ...env, GOBIN: folder },
  })
  const answer = await go(['mod', 'download', '-json', `${module}@v${version}`], { cwd: folder, env })
  const { Dir }: { Dir: string } = JSON.parse(answer)
  const chart = join(folder, 'chart')
  await cp(join(Dir, 'charts', 'gateway-helm'), chart, { recursive: true })
  // As their release does it; the images are named by whoever installs it.
  await chmod(chart, 0o755)
  const values = await readFile(join(chart, 'values.tmpl.yaml'), 'utf8')
  const filled = values.replaceAll(/\$\{GatewayImage\}/g, 'none').replaceAll(/\$\{GatewayImagePullPolicy\}/g, 'Never')
  await writeFile(join(chart, 'values.yaml'), filled)
  await rm(join(chart, 'values.tmpl.yaml'))
}
