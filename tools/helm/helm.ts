import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import { cached, cacheRoot } from '../../src/lab/cache.ts'
import { go, release } from '../go/go.ts'
import { withProgress } from '../kube/progress.ts'

const version = '3.22.0'
const entry = { name: 'helm', version }

/** The Helm that the tests use, if it was brought before. */
export async function locateHelm(): Promise<string | undefined> {
  const path = join(cacheRoot(), entry.name, entry.version, 'helm')
  return access(path, constants.X_OK).then(
    () => path,
    () => undefined,
  )
}

/** The same, compiled into the cache if it is not there. Throws, with the reason, where that cannot be done. */
export async function provideHelm(env: NodeJS.ProcessEnv): Promise<string> {
  const folder = await cached(entry, (directory) =>
    withProgress(process.stderr, `compiling Helm ${version}`, () => compile(directory, env)),
  )
  return join(folder, 'helm')
}

async function compile(directory: string, env: NodeJS.ProcessEnv): Promise<void> {
  await go(['install', ...release, `helm.sh/helm/v3/cmd/helm@v${version}`], {
    cwd: directory,
    env: { ...env, GOBIN: directory },
  })
}
