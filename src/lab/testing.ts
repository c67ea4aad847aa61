import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from './host/command.ts'
import { labRoot, ledgerFile } from './ledger/ledger.ts'
import { networksNamed } from './ledger/namespaces.ts'
import { parseLedger } from './ledger/remains.ts'

/** For tests that run the real command and look at the real host. */

export interface LabCommand {
  readonly child: ChildProcess
  readonly stdout: () => string
  readonly stderr: () => string
  readonly exit: Promise<number | NodeJS.Signals>
}

export function startLabCommand(args: readonly string[], command = 'lab'): LabCommand {
  const program = join(import.meta.dirname, '..', '..', 'bin', 'oooi')
  return startCommand([program, command, ...args])
}

export function startCommand([program = '', ...args]: readonly string[]): LabCommand {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const exit = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(signal ?? code ?? -1))
  })
  return { child, stdout: () => stdout, stderr: () => stderr, exit }
}

/** `oooi lab <args>` for a lab that runs, to its end. */
export async function runLabCommand(
  ...args: string[]
): Promise<{ exitCode: number | NodeJS.Signals; stdout: string; stderr: string }> {
  const command = startLabCommand(args)
  const exitCode = await command.exit
  return { exitCode, stdout: command.stdout(), stderr: command.stderr() }
}

/** What an order to this lab gives back. */
export async function labOrder<Document>(id: string, ...args: string[]): Promise<Document> {
  const { stdout, stderr } = await runLabCommand(...args, '--lab', id, '-o', 'json')
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

/** Waits until the lab has told this; if it ends before, that is the failure, in its own words. */
export function told(lab: LabCommand, text: string): Promise<true> {
  return until(`"${text}"`, () => {
    if (lab.stderr().includes(text)) return true
    if (lab.child.exitCode !== null) throw new Error(`the lab ended without "${text}":\n${lab.stderr()}`)
    return undefined
  })
}

/** The id of the lab that this process owns, as soon as it has one. */
export function labIdOf({ child }: LabCommand): Promise<string> {
  return until(`lab of process ${child.pid}`, () => directories(labRoot).find((id) => ownerOf(id) === child.pid))
}

function ownerOf(id: string): number | undefined {
  try {
    return parseLedger(readFileSync(join(labRoot, id, ledgerFile), 'utf8')).owner?.pid
  } catch {
    return undefined
  }
}

/** Polls until there is a value; an undefined one is none. */
export async function until<Value>(
  what: string,
  look: () => Value | undefined | Promise<Value | undefined>,
  withinMs = 60_000,
): Promise<Value> {
  for (const deadlineMs = performance.now() + withinMs; performance.now() < deadlineMs; ) {
    const value = await look()
    if (value !== undefined) return value
    await sleep(10)
  }
  throw new Error(`waited ${withinMs / 1000} s in vain for: ${what}`)
}

/** The value of a series, such as `oooi_dhcp_sent_total{type="ack"}`, of the oooi with this state directory. */
export async function readMetrics(stateDir: string): Promise<(series: string) => number | undefined> {
  const text = await run('curl', ['-sS', '--unix-socket', join(stateDir, 'oooi.sock'), 'http://oooi/metrics'])
  const values = new Map(
    text
      .split('\n')
      .map((line): [string, number] => [
        line.slice(0, line.lastIndexOf(' ')),
        Number(line.slice(line.lastIndexOf(' '))),
      ]),
  )
  return (series) => values.get(series)
}

/** Everything on the host whose name tells that it belongs to this lab. */
export async function tracesOf(id: string): Promise<string[]> {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n')
  const links = (await run('ip', ['-o', 'link'])).split('\n')
  return [
    ...directories('/run/netns').map((name) => `namespace ${name}`),
    ...directories(labRoot).map((name) => `directory ${name}`),
    ...mounts.map((line) => `mount ${line}`),
    ...links.map((line) => `interface ${line}`),
    ...processes().map(({ pid, command }) => `process ${pid} ${command}`),
  ].filter((trace) => trace.includes(id))
}

/** The network namespaces of this lab, as /proc names them. */
export function networksOf(id: string): string[] {
  return networksNamed(directories('/run/netns').filter((name) => name.startsWith(id)))
}

function processes(): { pid: string; command: string }[] {
  return directories('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ pid, command: readCommand(pid) }))
}

function readCommand(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

function directories(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
