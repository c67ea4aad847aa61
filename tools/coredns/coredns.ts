import { execFile } from 'node:child_process'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cached } from '../../src/lab/cache.ts'
import { findTool } from '../../src/lab/host/tools.ts'
import { withProgress } from '../kube/progress.ts'
import { isExecutable } from './executable.ts'

const version = '1.12.4'

/**
 * The CoreDNS of this machine, or one compiled into the cache: Debian has none. Throws, with the reason, where neither
 * can be had.
 */
export async function findCoredns(env: NodeJS.ProcessEnv): Promise<string> {
  const installed = findTool('coredns') ?? join(homedir(), 'go', 'bin', 'coredns')
  if (isExecutable(installed)) return installed
  const folder = await cached({ name: 'coredns', version }, (directory) =>
    withProgress(process.stderr, `compiling CoreDNS ${version}`, () => compile(directory, env)),
  )
  return join(folder, 'coredns')
}

async function compile(directory: string, env: NodeJS.ProcessEnv): Promise<void> {
  try {
    await promisify(execFile)('go', ['install', `github.com/coredns/coredns@v${version}`], {
      env: { ...env, GOBIN: directory, CGO_ENABLED: '0', GOWORK: 'off' },
      cwd: directory,
    })
  } catch (error) {
    const absent = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    throw new Error(absent ? 'there is no "go" on PATH to compile it' : lastLine(error))
  }
}

function lastLine(error: unknown): string {
  const text = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
  return text.trim().split('\n').at(-1) ?? 'go install failed'
}
