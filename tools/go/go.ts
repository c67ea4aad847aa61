import { spawn } from 'node:child_process'

/**
 * Runs the Go tool and gives what it printed. With the lowest priority that still gets on: nobody waits for a compiler who
 * could be working. Two compilers at a time unless GOFLAGS says otherwise: each may take a gigabyte of memory.
 */
export function go(args: readonly string[], { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv }): Promise<string> {
  const flags = env.GOFLAGS ?? ''
  const GOFLAGS = /(^|\s)-p=/.test(flags) ? flags : `${flags} -p=2`.trim()
  const child = spawn('nice', ['-n', '10', 'go', ...args], {
    cwd,
    env: { ...env, GOFLAGS, CGO_ENABLED: '0', GOWORK: 'off' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  let lastLine = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    lastLine = text.trim().split('\n').at(-1) ?? lastLine
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve(printed)
      else reject(new Error(`go ${args[0]} failed: ${lastLine || 'is Go 1.26 or later on PATH?'}`))
    })
  })
}

/** Small, without paths of this machine, whatever repository the folder lies in. */
export const release = ['-trimpath', '-buildvcs=false', '-ldflags', '-s -w']
