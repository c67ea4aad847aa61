import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cacheRoot } from './cache.ts'
import { failingSteps, faultEffects } from './control/testing.ts'
import { ordinaryUser } from './host/userns.ts'
import { asOrdinaryUser } from './oooi.ts'
import { whyNoQemu } from './qemu/image.ts'
import { type LabCommand, startCommand, told, tracesOf, until } from './testing.ts'

const checkout = join(import.meta.dirname, '..', '..')
/** Where that user sees the checkout, which may lie under /root. */
const visible = '/srv'

const allowed =
  spawnSync('env', [...asOrdinaryUser(checkout, visible), 'unshare', '--user', '--map-root-user', '--net', 'true'])
    .status === 0

const program = [...asOrdinaryUser(checkout, visible), join(visible, 'bin', 'oooi')]

/** `oooi <args>` as a user without root and without any capability. */
function startAsUser(...args: string[]): LabCommand {
  return startCommand([...program, ...args])
}

/** The others take the patience of clients, and are the same code as with root: for the long run. */
const isLongRun = process.env.OOOI_E2E === 'all'
const tried = Object.entries(faultEffects).filter(([name]) => isLongRun || name === 'vip')

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
    lab = startAsUser('lab', '--keep', '--no-qemu', '-o', 'json')
    await told(lab, 'konnectivity-held')
    id = idIn(lab)
  })
  afterAll(() => void lab.child.kill())

  it('says how oooi is kept from what it need not do', () => {
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

  it.each(tried)('is found by other commands of the user: break %s, and heal', async (name, { vm, pod, says }) => {
    const broken = await runAsUser('lab', 'break', name, '--lab', id, '-o', 'json')
    expect(broken.stderr).toBe('')
    const { look } = JSON.parse(broken.stdout)
    expect(failingSteps(look)).toEqual({ 'worker-1': vm, 'worker-2': vm, 'worker-3': vm, 'a pod': pod })
    expect(look.status.lines.join('\n')).toMatch(says)
    const healed = await runAsUser('lab', 'heal', '-o', 'json')
    expect([healed.exitCode, JSON.parse(healed.stdout).look.ok]).toEqual([0, true])
  })

  it.runIf(isLongRun)('breaks a VM by name, too, and gives it back with its address', async () => {
    const broken = await runAsUser('lab', 'break', 'vm', 'worker-1', '-o', 'json')
    expect(JSON.parse(broken.stdout).look.vms.map(({ name }: { name: string }) => name)).not.toContain('worker-1')
    expect((await runAsUser('lab', 'shell', 'worker-1')).stderr).toContain('worker-1 is switched off')
    expect((await runAsUser('lab', 'heal')).exitCode).toBe(0)
    const { stdout } = await runAsUser('lab', 'shell', 'worker-1', '--', 'ip', '-4', '-o', 'addr', 'show', 'eth0')
    expect(stdout).toContain('192.168.100.15/24')
  })

  it('gives a shell on a VM, with its exit code', async () => {
    const shell = await runAsUser('lab', 'shell', 'worker-1', '--', 'sh', '-c', 'hostname; exit 7')
    expect(shell).toEqual({ exitCode: 7, stdout: 'worker-1\n', stderr: '' })
  })

  it('traces a boot, packet by packet', async () => {
    const { exitCode, stdout } = await runAsUser('lab', 'trace', 'worker-1')
    for (const line of [
      '<- DHCP  ACK 192.168.100.15 hostname worker-1',
      '-> TLS   hello to 192.168.100.4:443 for ignition.lab.example.test',
      'worker-1 booted',
    ])
      expect(stdout).toContain(line)
    expect(exitCode).toBe(0)
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

describe.runIf(allowed && isLongRun && whyNoQemu() === undefined)('its VMs with a kernel', () => {
  const once = ['lab', '--vms', '1', '--qemu-vms', '1', '--pxe-vms', '1', '--once', '-o', 'json']

  const home = '/mnt/home'

  /** Runs it where /dev/net/tun has this mode, with a home of its own that has the kernel: another's cache cannot be read. */
  function startWithTun(mode: string): LabCommand {
    const prepare = [
      `mount -t tmpfs tmpfs /mnt && mknod /mnt/tun c 10 200 && chmod ${mode} /mnt/tun`,
      `mkdir -p ${home}/.cache/oooi && cp -r ${join(cacheRoot(), 'linux-cloud')} ${home}/.cache/oooi`,
      `chown -R ${ordinaryUser} ${home} && mount --bind /mnt/tun /dev/net/tun && HOME=${home} exec "$@"`,
    ].join(' && ')
    const ownMounts = ['unshare', '--mount', '--propagation', 'slave', '--', '/bin/sh', '-c', prepare, 'sh']
    return startCommand([...ownMounts, ...program, ...once])
  }

  it('boot where everybody may open /dev/net/tun', async () => {
    const lab = startWithTun('666')
    const exit = await lab.exit
    expect(lab.stderr()).toContain('worker-pxe     iPXE  tftp://192.168.100.5/boot.ipxe... ok')
    expect(JSON.parse(lab.stdout())).toMatchObject({
      ok: true,
      vms: [{ client: 'dhclient' }, { client: 'qemu' }, { client: 'pxe' }],
    })
    expect(exit).toBe(0)
    expect(await tracesOf(idIn(lab))).toEqual([])
  }, 300_000)

  it('are left out where that is for root, and it says so', async () => {
    const lab = startWithTun('600')
    expect(await lab.exit).toBe(0)
    expect(lab.stderr()).toContain('no QEMU VM: /dev/net/tun cannot be opened')
    expect(JSON.parse(lab.stdout())).toMatchObject({ ok: true, vms: [{ client: 'dhclient' }] })
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
