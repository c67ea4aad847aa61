import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { run } from './host/command.ts'
import { inNamespace } from './network/build.ts'
import { whyNoQemu } from './qemu/image.ts'
import { type LabCommand, labIdOf, startLabCommand, told, tracesOf, until } from './testing.ts'
import { bootSteps, finalStep } from './vm/steps.ts'

const documentSchema = z.strictObject({
  ok: z.boolean(),
  vms: z.array(
    z.strictObject({
      name: z.string(),
      client: z.string(),
      ok: z.boolean(),
      steps: z.array(
        z.strictObject({ name: z.string(), ok: z.boolean(), ms: z.number(), error: z.string().optional() }),
      ),
    }),
  ),
})

/** What tcpdump sees on an interface, from when it listens until it is stopped. */
async function capture(namespace: string, device: string): Promise<{ lines: string[]; stop: () => void }> {
  const [command = '', ...args] = inNamespace(namespace, ['tcpdump', '-n', '-l', '-i', device])
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  const said: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => said.push(line))
  await until(`tcpdump in ${namespace}`, () => said.find((line) => line.startsWith('listening on')))
  return { lines, stop: () => void child.kill() }
}

describe('oooi lab --once -o json', () => {
  let lab: LabCommand
  let id: string
  let onPodNetwork: string[]
  let onVlan: string[]
  let heardInTime: boolean
  let podView: string
  let exit: number | NodeJS.Signals

  beforeAll(async () => {
    lab = startLabCommand(['--once', '-o', 'json'])
    id = await labIdOf(lab)
    await until('the network', async () => {
      if (!existsSync(`/run/netns/${id}-oooi`)) return undefined
      return run('ip', ['-n', `${id}-oooi`, '-o', 'link', 'show', 'up', 'net1']).then(
        (text) => text || undefined,
        () => undefined,
      )
    })
    const [pods, vlan] = await Promise.all([capture(`${id}-oooi`, 'eth0'), capture(`${id}-oooi`, 'net1')])
    heardInTime = !/ (ok|FAIL) +dhcp /.test(lab.stderr())
    await told(lab, 'ok   dhcp')
    const [dig = '', ...question] = inNamespace(`${id}-control`, [
      'dig',
      '+short',
      '@10.128.0.2',
      'api.lab.example.test',
    ])
    podView = await run(dig, question).catch(String)
    exit = await lab.exit
    pods.stop()
    vlan.stop()
    onPodNetwork = pods.lines
    onVlan = vlan.lines
  })
  afterAll(() => void lab.child.kill())

  it('boots every machine, each with every step', () => {
    const document = documentSchema.parse(JSON.parse(lab.stdout()))
    const failures = document.vms.flatMap((vm) =>
      vm.steps.filter((step) => !step.ok).map((step) => `${vm.name} ${step.name}: ${step.error}`),
    )
    expect(failures).toEqual([])
    expect(document.ok).toBe(true)
    expect(exit).toBe(0)
    const clients = ['dhclient', 'udhcpc', 'dhcpcd', ...(whyNoQemu() === undefined ? ['qemu'] : [])]
    expect(document.vms.map((vm) => vm.client)).toEqual(clients)
    for (const vm of document.vms) expect(vm.steps.map((step) => step.name)).toEqual([...bootSteps, finalStep])
  })

  it('lets no DHCP packet onto the pod network', () => {
    const isDhcp = (line: string): boolean => /BOOTP\/DHCP|\.6[78] > |\.6[78]:/.test(line)
    expect(heardInTime).toBe(true)
    expect(onVlan.some(isDhcp)).toBe(true)
    expect(onPodNetwork.length).toBeGreaterThan(0)
    expect(onPodNetwork.filter(isDhcp)).toEqual([])
  })

  it('shows pods the proxy on their own network', () => {
    expect(podView.trim()).toBe('10.128.0.2')
  })

  it('ends oooi well', () => {
    expect(lab.stderr()).not.toContain('did not end well')
  })

  it('leaves nothing behind', async () => {
    expect(await tracesOf(id)).toEqual([])
  })
})

describe('a lab that does not come to its end', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('cleans up on %s', async (signal) => {
    const lab = startLabCommand(['--vms', '2', '--no-qemu', '--once', '-o', 'json'])
    const id = await labIdOf(lab)
    await told(lab, 'control plane')
    lab.child.kill(signal)
    expect(await lab.exit).toBe(1)
    expect(lab.stdout()).toBe('')
    expect(await tracesOf(id)).toEqual([])
  })

  it('is cleaned up by the next one when it was killed', async () => {
    const killed = startLabCommand(['--vms', '2', '--once', '-o', 'json'])
    const id = await labIdOf(killed)
    await told(killed, 'ok   dhcp')
    killed.child.kill('SIGKILL')
    await killed.exit
    expect(await tracesOf(id)).not.toEqual([])
    const next = startLabCommand(['--vms', '1', '--no-qemu', '--once', '-o', 'json'])
    expect(await next.exit).toBe(0)
    expect(next.stderr()).toContain(`cleaned up after ${id}`)
    expect(await tracesOf(id)).toEqual([])
  })
})
