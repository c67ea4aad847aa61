import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A running binary of the control plane. It dies with this process, however this process ends. */
export interface Component {
  readonly name: string
  readonly pid: number
  signal(signal: NodeJS.Signals): void
  /** Ends it and waits until it is gone; a signal that is not obeyed in time is followed by SIGKILL. */
  end(signal: NodeJS.Signals): Promise<void>
  /** Waits until `ready` says so; fails with the end of the log when the component dies or takes too long. */
  until(what: string, ready: () => Promise<boolean>): Promise<void>
}

const startTimeoutMs = 60_000
const endTimeoutMs = 10_000

export async function startComponent(
  binary: string,
  flags: readonly string[],
  logFile: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Component> {
  const name = basename(binary)
  const log = await open(logFile, 'a')
  // setpriv asks the kernel to kill the component when the thread that started it is gone, then becomes the component.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', binary, ...flags], {
    stdio: ['ignore', log.fd, log.fd],
    env: { ...process.env, ...env },
  })
  await started(child, name)
  await log.close()
  child.unref()
  const isGone = () => child.exitCode !== null || child.signalCode !== null

  return {
    name,
    pid: child.pid ?? 0,
    signal: (signal) => {
      child.kill(signal)
    },
    async end(signal) {
      if (isGone()) return
      child.ref()
      const gone = once(child, 'exit')
      child.kill(signal)
      // A stopped process obeys nothing but SIGKILL until it may run again.
      child.kill('SIGCONT')
      const timer = setTimeout(() => child.kill('SIGKILL'), endTimeoutMs)
      await gone
      clearTimeout(timer)
    },
    async until(what, ready) {
      const deadlineMs = performance.now() + startTimeoutMs
      while (!(await ready().catch(() => false))) {
        if (isGone() || performance.now() > deadlineMs) {
          const why = isGone() ? `${name} ended (${child.signalCode ?? child.exitCode})` : `${name} took too long`
          throw new Error(`${why} before ${what}. The end of its log:\n${await tail(logFile)}`)
        }
        await sleep(50)
      }
    },
  }
}

async function started(child: ChildProcess, name: string): Promise<void> {
  try {
    await once(child, 'spawn')
  } catch (cause) {
    throw new Error(`cannot start ${name}: "setpriv" (package util-linux) must be on PATH`, { cause })
  }
}

async function tail(file: string): Promise<string> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
  return lines.slice(-15).join('\n')
}
