import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { run } from '../../src/lab/host/command.ts'
import { type Lab, withLab } from '../../src/lab/lab.ts'
import { inNamespace } from '../../src/lab/network/build.ts'
import { namespaceOf } from '../../src/lab/plan.ts'
import { until } from '../../src/lab/testing.ts'

/** `oooi up` in the lab, while its file is edited and one machine after the other has booted. */

const program = join(import.meta.dirname, '..', '..', 'bin', 'oooi')
const over = Promise.withResolvers<void>()
const started = Promise.withResolvers<Lab>()
let lab: Lab
let ended: Promise<void>

beforeAll(async () => {
  ended = withLab(
    { namespaceVms: 1, qemuVms: 0, onEvent: () => undefined, stop: new AbortController().signal },
    async (running) => {
      await running.bootAll()
      started.resolve(running)
      await over.promise
    },
  )
  ended.catch(started.reject)
  lab = await started.promise
})

afterAll(async () => {
  over.resolve()
  await ended
})

async function dig(name: string, from: 'vlan' | 'control' = 'vlan'): Promise<string> {
  const server = from === 'vlan' ? lab.plan.vlan.dns : lab.plan.pods.oooi
  const [command = '', ...args] = inNamespace(namespaceOf(lab.plan, from), [
    'dig',
    '+short',
    '+time=2',
    `@${server}`,
    name,
  ])
  return (await run(command, args)).trim()
}

interface Edited {
  spec: {
    infraComponents: { dns: { staticEntries?: { hostname: string; ip: string }[] }; proxy: { backends?: object[] } }
  }
}

async function edit(change: (infra: Edited) => void): Promise<void> {
  const infra = parse(await readFile(lab.oooi.infraFile, 'utf8'))
  change(infra)
  await writeFile(lab.oooi.infraFile, stringify(infra))
}

/** What the command prints for programs, whether or not its exit code says that all is well. */
async function oooi(...args: string[]): Promise<{ ready: boolean; problems: { reason: string; message: string }[] }> {
  const child = spawn(program, [...args, '--state-dir', lab.oooi.stateDir, '-o', 'json'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return JSON.parse(await text(child.stdout))
}

test('status tells programs that all is well', async () => {
  expect(await oooi('status')).toMatchObject({
    ready: true,
    problems: [],
    components: [{ name: 'dhcp', status: { activeLeases: 1 } }, { name: 'dns' }, { name: 'proxy' }],
  })
})

test('plain HTTP for *.apps goes from pods to the router behind the VIP by its Host, and no other Host does', async () => {
  const { plan } = lab
  // As the router of OpenShift answers on port 80.
  const script = `require('node:http')
    .createServer(({ headers }, answer) => answer.writeHead(302, { location: 'https://' + headers.host + '/' }).end())
    .listen(80, '${plan.vlan.apps}', () => console.log('listening'))`
  const [command = '', ...args] = inNamespace(namespaceOf(plan, 'apps'), [process.execPath, '-e', script])
  const router = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ask = (host: string) => {
    const shown = ['-sS', '--max-time', '5', '-o', '/dev/null', '-w', '%{http_code} %{redirect_url}']
    const request = ['curl', ...shown, '--resolve', `${host}:80:${plan.pods.oooi}`, `http://${host}/`]
    const [curl = '', ...rest] = inNamespace(namespaceOf(plan, 'control'), request)
    return run(curl, rest)
  }
  try {
    await once(router.stdout, 'data')
    const host = `console.apps.${plan.domain}`
    expect(await ask(host)).toBe(`302 https://${host}/`)
    expect(await ask(`console.${plan.domain}`)).toBe('404 ')
  } finally {
    router.kill()
  }
})

test('the machine is seen to have booted; one whose backend is down is seen to wait for it, and for which', async () => {
  const told = async () => (await oooi('status', '--vms')) as unknown as { vms: { stage: string; hint: string }[] }
  expect((await told()).vms).toMatchObject([{ name: 'worker-1', stage: 'Connected', hint: '' }])

  const name = `konnectivity-2.${lab.plan.domain}`
  const before = await readFile(lab.oooi.infraFile, 'utf8')
  await edit(({ spec }) => {
    const target = { targetAddress: lab.plan.pods.konnectivity, targetPort: 9 }
    spec.infraComponents.proxy.backends = [{ name: 'konnectivity-2', hostname: name, port: 443, ...target }]
  })
  const curl = ['curl', '-sk', '--max-time', '5', '--resolve', `${name}:443:${lab.plan.vlan.proxy}`, `https://${name}/`]
  const [command = '', ...args] = inNamespace(namespaceOf(lab.plan, 'worker-1'), curl)
  const { vms } = await until('the failure to be seen', async () => {
    await run(command, args).catch(() => undefined)
    const seen = await told()
    return seen.vms[0]?.stage === 'Connecting' ? seen : undefined
  })
  expect(vms[0]?.hint).toContain('asks for konnectivity-2, which the proxy cannot reach')
  await writeFile(lab.oooi.infraFile, before)
})

test('leases are told with their owner', async () => {
  expect(await oooi('leases')).toMatchObject([{ vmName: 'worker-1', state: 'Active', address: expect.any(String) }])
})

test('a copy of the state directory, made while it is used, has the leases', async () => {
  const copy = join(lab.directory, 'copy')
  await run('tar', ['-C', lab.oooi.stateDir, '-cf', `${copy}.tar`, '--exclude=*.sock', '.'])
  await run('mkdir', [copy])
  await run('tar', ['-C', copy, '-xf', `${copy}.tar`])
  const leases = JSON.parse(await run(program, ['leases', '--state-dir', copy, '-o', 'json']))
  expect(leases).toMatchObject([{ vmName: 'worker-1', state: 'Active' }])
})

test('the VM has a name in both directions', async () => {
  const address = await dig(`worker-1.${lab.plan.domain}`)
  expect(address).toMatch(/^192\.168\.100\./)
  const [command = '', ...args] = inNamespace(namespaceOf(lab.plan, 'vlan'), [
    'dig',
    '+short',
    `@${lab.plan.vlan.dns}`,
    '-x',
    address,
  ])
  expect((await run(command, args)).trim()).toBe(`worker-1.${lab.plan.domain}.`)
})

test('the same name is another address on the pod network', async () => {
  expect([await dig(`api.${lab.plan.domain}`), await dig(`api.${lab.plan.domain}`, 'control')]).toEqual([
    lab.plan.vlan.proxy,
    lab.plan.pods.oooi,
  ])
})

test('an edited file is served; a broken one changes nothing and is told until it is mended', async () => {
  const name = `mirror.${lab.plan.domain}`
  expect(await dig(name)).toBe('')
  await edit((infra) => {
    infra.spec.infraComponents.dns.staticEntries = [{ hostname: name, ip: '192.168.100.77' }]
  })
  await until(name, async () => ((await dig(name)) === '192.168.100.77' ? true : undefined))

  const good = await readFile(lab.oooi.infraFile, 'utf8')
  await writeFile(lab.oooi.infraFile, good.replace('192.168.100.77', '192.168.100.777'))
  const broken = await until('the problem', async () => {
    const status = await oooi('status')
    return status.ready ? undefined : status
  })
  expect(broken.problems).toMatchObject([
    { reason: 'InvalidField', message: expect.stringContaining('192.168.100.777'), at: { line: expect.any(Number) } },
  ])
  expect(await dig(name)).toBe('192.168.100.77')

  await writeFile(lab.oooi.infraFile, good)
  await until('ready', async () => ((await oooi('status')).ready ? true : undefined))
})

test('SIGTERM drains and ends with exit code 0', async () => {
  process.kill(lab.oooi.pid, 'SIGTERM')
  expect(await lab.oooi.ended).toBe('exit code 0')
})
