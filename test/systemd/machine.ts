import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe } from 'vitest'
import { toolPath } from '../../src/lab/host/command.ts'
import { firstChildOf } from '../../src/lab/host/process.ts'
import { makeCgroup, removeCgroup } from '../../src/lab/ledger/cgroup.ts'
import { until } from '../../src/lab/testing.ts'
import { mayNotSkip } from '../../tools/kube/locate.ts'
import { findSystemdRoot } from '../../tools/systemd/root.ts'

const checkout = join(import.meta.dirname, '..', '..')
const script = join(import.meta.dirname, 'boot.sh')

const root = await findSystemdRoot().catch((error: unknown) => String(error))
const skip = !root.startsWith('/') && !mayNotSkip(process.env)
if (skip) process.stderr.write(`SKIPPED: tests on a real systemd. ${root}\n`)

/** `describe` where a systemd can be booted; elsewhere it skips and says so, in CI it fails. */
export const describeWithSystemd = describe.skipIf(skip)

export interface Outcome {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A systemd in namespaces of its own, with its journal and its network. */
export interface Machine {
  /** Its first process, as this host sees it. */
  readonly pid: number
  /** Runs a program of the machine inside it, to its end, and gives its output; throws what it said if it fails. */
  readonly run: (command: string, ...args: string[]) => Promise<string>
  /** The same for one that may fail. */
  readonly ask: (command: string, ...args: string[]) => Promise<Outcome>
  /** Runs a program of this host on the network of the machine. */
  readonly onItsNetwork: (command: readonly string[]) => string[]
  readonly stop: () => Promise<void>
}

/** A machine for this test file, gone after its last test. `files` are texts by their paths in the machine. */
export function useMachine(files: Readonly<Record<string, string>>): () => Machine {
  let machine: Machine | undefined
  beforeAll(async () => {
    machine = await boot(files)
  })
  afterAll(() => machine?.stop())
  return () => {
    if (!machine) throw new Error('the machine is there inside tests and hooks only')
    return machine
  }
}

async function boot(files: Readonly<Record<string, string>>): Promise<Machine> {
  const directory = mkdtempSync(join(tmpdir(), 'oooi-systemd-'))
  const [overlay, place] = [join(directory, 'files'), join(directory, 'root')]
  for (const path of [overlay, place]) mkdirSync(path)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(overlay, dirname(path)), { recursive: true })
    writeFileSync(join(overlay, path), content)
  }
  const group = basename(directory)
  makeCgroup(group)
  const namespaces = ['--pid', '--mount', '--cgroup', '--net', '--ipc', '--uts', '--fork', '--kill-child=KILL']
  // It enters its group first, so that the namespace has that group for its root.
  const enter = 'echo $$ >"$0/cgroup.procs" && exec "$@"'
  const child = spawn(
    'setpriv',
    [
      ...['--pdeathsig', 'KILL', '/bin/sh', '-c', enter, join(unifiedHierarchy(), group)],
      ...['unshare', ...namespaces, '/bin/sh', script, root, place, overlay, checkout],
    ],
    { stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: toolPath } },
  )
  const said = text(child.stderr)
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL')
    await removeCgroup(group)
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    const pid = await booted(child)
    return {
      pid,
      stop,
      run: (...command) => succeedInside(pid, command),
      ask: (...command) => inside(pid, command),
      onItsNetwork: (command) => networkOf(pid, command),
    }
  } catch (error) {
    await stop()
    throw new Error(`${String(error)}: ${await said}`)
  }
}

function networkOf(pid: number, command: readonly string[]): string[] {
  return ['nsenter', `--net=/proc/${pid}/ns/net`, '--', ...command]
}

async function booted(child: ChildProcess): Promise<number> {
  const pid = await until('the first process of the machine', () => {
    if (child.exitCode !== null) throw new Error('the machine did not start')
    return firstChildOf(child.pid ?? -1)
  })
  await until('systemd to be up', async () => {
    if (child.exitCode !== null) throw new Error('the machine did not start')
    const { stdout } = await inside(pid, ['systemctl', 'is-system-running'])
    return /running|degraded/.test(stdout) || undefined
  })
  return pid
}

async function succeedInside(pid: number, command: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await inside(pid, command)
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: exit code ${exitCode}: ${stderr}${stdout}`)
  return stdout
}

async function inside(pid: number, command: readonly string[]): Promise<Outcome> {
  const where = ['--target', String(pid), '--mount', '--pid', '--net', '--uts', '--ipc', '--cgroup', '--root', '--wd']
  const child = spawn('nsenter', [...where, '--', ...command], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: toolPath, LC_ALL: 'C', SYSTEMD_PAGER: '' },
  })
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), exit])
  return { exitCode, stdout, stderr }
}

/** Where the control groups of version 2 are mounted, alone or beside those of version 1. */
function unifiedHierarchy(): string {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
  const place = /^(?:\S+ ){4}(\S+) .* - cgroup2 /m.exec(mounts)?.[1]
  if (place === undefined) throw new Error('this kernel has no control groups of version 2 mounted')
  return place
}
