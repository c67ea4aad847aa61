import { execFile } from 'node:child_process'
import { mkdtempSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run, toolPath } from '../../src/lab/host/command.ts'
import { startProcess } from '../../src/lab/host/process.ts'
import { Ledger } from '../../src/lab/ledger/ledger.ts'
import { inNamespace } from '../../src/lab/network/build.ts'
import type { Pace, RunningContender } from './harness.ts'
import { pinLoad, pinServer } from './harness.ts'
import type { MeasureResult } from './samples.ts'

/** What a suite gives back. */
export interface SuiteResult {
  /** How it was measured, in a few sentences. */
  readonly method: string
  /** Who took part in which version, also what loaded them. */
  readonly contenders: readonly { readonly name: string; readonly version: string }[]
  readonly leftOut: readonly { readonly name: string; readonly why: string }[]
  readonly measures: readonly MeasureResult[]
}

export interface Suite {
  readonly name: string
  readonly about: string
  run(bench: Bench): Promise<SuiteResult>
}

/** A place to measure in: whatever is made there is recorded and gone afterwards. */
export interface Bench {
  readonly ledger: Ledger
  /** On a real disk, for what is synced to it. */
  readonly directory: string
  readonly pace: Pace
  readonly say: (line: string) => void
}

/** TMPFS_MAGIC of the kernel. */
const tmpfs = 0x01021994

/** Lets `use` work in a bench of its own and takes everything away however that ends, also when `stop` says so. */
export async function withBench<Value>(
  options: { readonly pace: Pace; readonly say: (line: string) => void; readonly stop: AbortSignal },
  use: (bench: Bench) => Promise<Value>,
): Promise<Value> {
  const ledger = Ledger.create(Math.random)
  const stopped = new Promise<never>((_, reject) => {
    options.stop.addEventListener('abort', () => reject(options.stop.reason), { once: true })
  })
  try {
    options.stop.throwIfAborted()
    const directory = mkdtempSync(join('/var/tmp', `${ledger.id}-`))
    if (statfsSync(directory).type === tmpfs) options.say('/var/tmp is memory here: what is synced costs too little')
    ledger.record({ kind: 'directory', path: directory })
    return await Promise.race([use({ ...options, ledger, directory }), stopped])
  } finally {
    await ledger.clear()
  }
}

export interface ServerPlan {
  readonly what: string
  readonly namespace: string
  readonly command: readonly string[]
  readonly pin?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  isReady(pid: number): Promise<boolean>
}

const readyWithinMs = 20_000

/** Starts a server in its namespace, pinned, and waits until it listens. */
export async function startServer(bench: Bench, plan: ServerPlan): Promise<RunningContender> {
  const server = startProcess(bench.ledger, {
    what: plan.what,
    command: inNamespace(plan.namespace, [...(plan.pin ?? pinServer), ...plan.command]),
    logFile: join(bench.directory, `${plan.what}.log`),
    graceMs: 5000,
    ...(plan.env && { env: plan.env }),
  })
  const deadlineMs = performance.now() + readyWithinMs
  while (!(await plan.isReady(server.pid))) {
    if (server.hasEnded()) throw new Error(`${plan.what} ended (${await server.ended}): ${server.tail().join('\n')}`)
    if (performance.now() > deadlineMs) {
      throw new Error(`${plan.what} does not listen after ${readyWithinMs / 1000} s: ${server.tail().join('\n')}`)
    }
    await sleep(20)
  }
  return { pids: [server.pid], stop: server.stop }
}

/**
 * Runs a load generator to its end in a namespace, on its own core, and gives what it printed. Its exit status is not
 * looked at: some report a lost packet that way. Whoever reads the output knows whether it is a result.
 */
export function runLoad(
  namespace: string,
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const [first = '', ...rest] = inNamespace(namespace, [...pinLoad, ...command])
  return new Promise((resolve) => {
    const options = { env: { PATH: toolPath, LC_ALL: 'C', ...env }, maxBuffer: 16 * 1024 * 1024 }
    execFile(first, rest, options, (_error, stdout, stderr) => resolve(`${stdout}${stderr}`))
  })
}

/** A namespace that has these addresses and nothing else; whoever lives in it talks through the loopback interface. */
export async function makeIsland(bench: Bench, addresses: readonly string[]): Promise<string> {
  const namespace = `${bench.ledger.id}-island`
  bench.ledger.record({ kind: 'namespace', name: namespace })
  await run('ip', ['netns', 'add', namespace])
  const lines = ['link set lo up', ...addresses.map((address) => `address add ${address}/32 dev lo`)]
  await run('ip', ['-n', namespace, '-batch', '-'], { input: `${lines.join('\n')}\n` })
  return namespace
}
