import { spawn } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import { cached, cacheRoot } from '../../src/lab/cache.ts'
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

/** With the lowest priority that still gets on: nobody waits for a compiler who could be working. */
function compile(directory: string, env: NodeJS.ProcessEnv): Promise<void> {
  const args = ['-n', '10', 'go', 'install', '-trimpath', '-ldflags', '-s -w', `helm.sh/helm/v3/cmd/helm@v${version}`]
  const child = spawn('nice', args, {
    cwd: directory,
    env: { ...env, GOBIN: directory, CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: `${env.GOFLAGS ?? ''} -p=2`.trim() },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let lastLine = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    lastLine = text.trim().split('\n').at(-1) ?? lastLine
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve()
      else reject(new Error(`go could not compile Helm ${version}: ${lastLine || 'is Go 1.26 or later on PATH?'}`))
    })
  })
}
