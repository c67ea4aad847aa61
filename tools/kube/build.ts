import { execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Component, moduleDirectory, type Project, versions } from './components.ts'
import { type Output, withProgress } from './progress.ts'

const run = promisify(execFile)

/** There is no Go that can build this module; the message says what to do. */
export class NoGo extends Error {}

/** Compiles the components into the folder, one after the other: the Go tool itself uses the cores. */
export async function build(
  wanted: readonly Component[],
  folder: string,
  env: NodeJS.ProcessEnv,
  output: Output,
): Promise<void> {
  const goVersion = await requireGo(env)
  for (const [index, component] of wanted.entries()) {
    const label = `building ${component.name} with ${goVersion} (${index + 1} of ${wanted.length})`
    await withProgress(output, label, (detail) => compile(component, folder, env, detail))
  }
}

/** Asked inside the module, so that a Go which is too old fetches the right toolchain, or says why it may not. */
async function requireGo(env: NodeJS.ProcessEnv): Promise<string> {
  try {
    const { stdout } = await run('go', ['env', 'GOVERSION'], { cwd: moduleDirectory, env: goEnvironment(env) })
    return stdout.trim()
  } catch (error) {
    const absent = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    const why = absent ? 'there is no "go" on PATH' : `"go env" failed: ${String(error)}`
    throw new NoGo(`${why}; install Go 1.26 or later`)
  }
}

function compile(
  component: Component,
  folder: string,
  env: NodeJS.ProcessEnv,
  detail: (text: string) => void,
): Promise<void> {
  const child = spawn('go', goArguments(component, folder), {
    cwd: moduleDirectory,
    env: { ...goEnvironment(env), GOBIN: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  // `-v` names a package per line as it is compiled; an error is among the last lines.
  const lastLines: string[] = []
  let packages = 0
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    const lines = text.split('\n').filter(Boolean)
    packages += lines.length
    lastLines.push(...lines)
    lastLines.splice(0, lastLines.length - 20)
    detail(`${packages} packages`)
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve()
      else reject(new Error(`go could not build ${component.goPackage}:\n${lastLines.join('\n')}`))
    })
  })
}

const versionSymbols: Record<Project, (version: string) => readonly string[]> = {
  kubernetes: (version) => {
    const [major, minor] = version.split('.')
    const symbols = 'k8s.io/component-base/version'
    return [`${symbols}.gitVersion=v${version}`, `${symbols}.gitMajor=${major}`, `${symbols}.gitMinor=${minor}`]
  },
  etcd: () => [],
  containerd: (version) => [`github.com/containerd/containerd/v2/version.Version=v${version}`],
}

export function goArguments({ name, project, goPackage }: Component, folder: string): string[] {
  const symbols = versionSymbols[project](versions[project]).flatMap((symbol) => ['-X', symbol])
  const common = ['-v', '-trimpath', '-buildvcs=false', '-ldflags', ['-s', '-w', ...symbols].join(' ')]
  if (project !== 'containerd') return ['build', ...common, '-mod=readonly', '-o', join(folder, name), goPackage]
  // Its go.mod replaces nothing, so it can be installed by version; the tags drop snapshotters that need C libraries.
  return ['install', ...common, '-tags', 'no_btrfs no_devmapper no_zfs', `${goPackage}@v${versions.containerd}`]
}

/** Two compilers at a time unless GOFLAGS says otherwise: each may take a gigabyte of memory. */
function goEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const goFlags = env.GOFLAGS ?? ''
  const parallel = /(^|\s)-p=/.test(goFlags) ? goFlags : `${goFlags} -p=2`.trim()
  return { ...env, GOFLAGS: parallel, CGO_ENABLED: '0', GOWORK: 'off' }
}
