import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ordinaryUser } from './host/userns.ts'
import { asOrdinaryUser } from './oooi.ts'
import { type LabCommand, startCommand, told, tracesOf, until } from './testing.ts'

const checkout = join(import.meta.dirname, '..', '..')
/** Where that user sees the checkout, which may lie under /root. */
const visible = '/srv'

const allowed =
  spawnSync('env', [...asOrdinaryUser(checkout, visible), 'unshare', '--user', '--map-root-user', '--net', 'true'])
    .status === 0

/** `oooi <args>` as a user without root and without any capability. */
function startAsUser(...args: string[]): LabCommand {
  return startCommand([...asOrdinaryUser(checkout, visible), join(visible, 'bin', 'oooi'), ...args])
}

async function runAsUser(...args: string[]) {
  const command = startAsUser(...args)
  return { exitCode: await command.exit, stdout: command.stdout(), stderr: command.stderr() }
}

function idIn(lab: LabCommand): string {
  const id = /oooi-[0-9a-f]{4}/.exec(lab.stderr())?.[0]
  if (id === undefined) throw new Error(`no lab is named in:\n${lab.stderr()}`)
  return id
}

/** The user's processes that name this lab, with what /proc says of each. */
function processesOf(id: string): { command: string; status: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
        return [{ command, status: readFileSync(`/proc/${pid}/status`, 'utf8') }]
      } catch {
        return []
      }
    })
    .filter(({ command }) => command.includes(id))
}

describe.runIf(allowed)('the lab of a user without root, where the kernel allows user namespaces', () => {
  let lab: LabCommand
  let id: string

  beforeAll(async () => {
    lab = startAsUser('lab', '--keep', '-o', 'json')
    await told(lab, 'konnectivity-held')
    id = idIn(lab)
  })
  afterAll(() => void lab.child.kill())

  it('leaves out what it cannot have, and says so', () => {
    expect(lab.stderr()).toMatch(
      /no QEMU VM: its kernel comes over the network, and the lab of an ordinary user has none/,
    )
    expect(lab.stderr()).toMatch(/oooi +serves DHCP, DNS and proxy of \S+ without capabilities/)
  })

  it('runs oooi without capabilities, as the user', () => {
    const [oooi] = processesOf(id).filter(
      ({ command }) => / up -f /.test(command) && !/^(setpriv|unshare)/.test(command),
    )
    expect(oooi?.status).toMatch(new RegExp(`^Uid:\\t${ordinaryUser}\\t${ordinaryUser}\\t`, 'm'))
    for (const set of ['CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
      expect(oooi?.status).toMatch(`${set}:\t0000000000000000`)
    expect(oooi?.status).toMatch(/^NoNewPrivs:\t1$/m)
  })

  it('shows nothing of itself to the host but processes', async () => {
    expect((await tracesOf(id)).filter((trace) => !trace.startsWith('process '))).toEqual([])
  })

  it('is found by other commands of the user, and broken and mended', async () => {
    const broken = await runAsUser('lab', 'break', 'vip', '--lab', id, '-o', 'json')
    expect(broken.stderr).toBe('')
    expect(JSON.parse(broken.stdout).look.ok).toBe(false)
    const healed = await runAsUser('lab', 'heal', '-o', 'json')
    expect([healed.exitCode, JSON.parse(healed.stdout).look.ok]).toEqual([0, true])
  })

  it('gives a shell on a VM, with its exit code', async () => {
    const shell = await runAsUser('lab', 'shell', 'worker-1', '--', 'sh', '-c', 'hostname; exit 7')
    expect(shell).toEqual({ exitCode: 7, stdout: 'worker-1\n', stderr: '' })
  })

  it('refuses a trace before anything is switched off', async () => {
    const { exitCode, stderr } = await runAsUser('lab', 'trace', 'worker-1')
    expect(stderr).toContain('trace in `sudo bin/oooi lab`')
    expect(exitCode).not.toBe(0)
    expect((await runAsUser('lab', 'look')).exitCode).toBe(0)
  })

  it('ends well on SIGTERM: every VM with each client had booted, and nothing is left', async () => {
    lab.child.kill('SIGTERM')
    expect(await lab.exit).toBe(0)
    const document = JSON.parse(lab.stdout())
    expect(document.ok).toBe(true)
    expect(document.vms.map((vm: { client: string }) => vm.client)).toEqual(['dhclient', 'udhcpc', 'dhcpcd'])
    expect(lab.stderr()).not.toContain('did not end well')
    expect(await tracesOf(id)).toEqual([])
  })
})

it.runIf(allowed)('nothing is left of a killed one, without a next run that cleans up', async () => {
  const lab = startAsUser('lab', '--vms', '2', '--once', '-o', 'json')
  await told(lab, 'ok   dhcp')
  const id = idIn(lab)
  expect(processesOf(id)).not.toEqual([])
  lab.child.kill('SIGKILL')
  await lab.exit
  // The kernel ends them, in its own time.
  await until(`the end of all that is ${id}'s`, async () => ((await tracesOf(id)).length === 0 ? true : undefined))
})

it('a machine that forbids user namespaces is told apart, with the setting that allows them', async () => {
  // The limit counts per user namespace: in one of our own it can be set to none.
  const forbid = 'echo 0 >/proc/sys/user/max_user_namespaces; exec "$@"'
  const without = ['unshare', '--user', '--map-user=1000', '--keep-caps', '--', '/bin/sh', '-c', forbid, 'sh']
  const lab = startCommand([...without, join(checkout, 'bin', 'oooi'), 'lab', '--once'])
  expect(await lab.exit).toBe(4)
  expect(lab.stdout()).toBe('')
  expect(lab.stderr()).toMatch(
    /^oooi: this machine does not let an ordinary user make namespaces \(.+\): run `sudo bin\/oooi lab`, or allow it with `sudo sysctl -w user.max_user_namespaces=10000` \[LabNotPossible\]\n$/,
  )
})
