import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { run, toolPath } from '../../src/lab/host/command.ts'
import { until } from '../../src/lab/testing.ts'
import type { Machine } from './machine.ts'

/** A namespace on the VLAN of a machine, for the programs that nodes run. */
export interface VlanClient {
  /** Runs a program of this host there, to its end. */
  readonly run: (command: string, ...args: string[]) => Promise<string>
  /** Starts one that stays, with pipes. */
  readonly start: (command: string, ...args: string[]) => ChildProcess
  readonly stop: () => void
}

/** Lays a cable from the machine (as `vlan100`, with the address) to a new namespace (as `eth0`). */
export async function layVlan(machine: Machine, address: string): Promise<VlanClient> {
  const keeper = spawn('setpriv', ['--pdeathsig', 'KILL', 'unshare', '--net', 'sleep', 'infinity'], {
    stdio: 'ignore',
    env: { PATH: toolPath },
  })
  await once(keeper, 'spawn')
  const pid = String(keeper.pid)
  const inside = (command: readonly string[]) => ['nsenter', `--net=/proc/${pid}/ns/net`, '--', ...command]
  const outsider = await run('readlink', ['/proc/self/ns/net'])
  await until('the namespace', async () => (await run('readlink', [`/proc/${pid}/ns/net`])) !== outsider || undefined)
  const peer = ['type', 'veth', 'peer', 'name', 'eth0', 'netns', pid]
  await run('ip', ['link', 'add', 'vlan100', 'netns', String(machine.pid), ...peer])
  const ip = async (...args: string[]) => runWhole(machine.onItsNetwork(['ip', ...args]))
  await ip('address', 'add', address, 'dev', 'vlan100')
  await ip('link', 'set', 'vlan100', 'up')
  for (const name of ['lo', 'eth0']) await runWhole(inside(['ip', 'link', 'set', name, 'up']))
  const children: ChildProcess[] = [keeper]
  return {
    run: (...command) => runWhole(inside(command)),
    start: (...command) => {
      const [program = '', ...args] = inside(command)
      const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'], env: { PATH: toolPath } })
      children.push(child)
      return child
    },
    stop: () => {
      for (const child of children) child.kill('SIGKILL')
    },
  }
}

function runWhole([command = '', ...args]: readonly string[]): Promise<string> {
  return run(command, args)
}
