import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toolPath } from '../../src/lab/host/command.ts'
import { type Lab, withLab } from '../../src/lab/lab.ts'
import { inNamespace } from '../../src/lab/network/build.ts'
import { asOrdinaryUser } from '../../src/lab/oooi.ts'
import { namespaceOf } from '../../src/lab/plan.ts'
import { until } from '../../src/lab/testing.ts'

/** A new process takes over from the one that serves the lab, while a machine has its stream through the old one. */

const checkout = join(import.meta.dirname, '..', '..')
const over = Promise.withResolvers<void>()
const started = Promise.withResolvers<Lab>()
let lab: Lab
let ended: Promise<void>

beforeAll(async () => {
  const quiet = { onEvent: () => undefined, stop: new AbortController().signal }
  ended = withLab({ namespaceVms: 1, qemuVms: 0, ...quiet }, async (running) => {
    await running.bootAll()
    started.resolve(running)
    await over.promise
  })
  ended.catch(started.reject)
  lab = await started.promise
})

const children: ChildProcess[] = []

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  over.resolve()
  await ended
})

async function streamAgeMs(): Promise<number> {
  const [vm] = await lab.machines.look()
  const step = vm?.steps.find(({ name }) => name === 'konnectivity-held')
  return Number(/open for (\d+) ms/.exec(step?.text ?? '')?.[1])
}

/** Connects to the proxy again and again and counts how it ends; prints one line when its input ends. */
const connector = `
  const { connect } = require('node:net')
  const count = { ok: 0, refused: 0 }
  const dial = () => {
    const socket = connect(443, process.argv[1])
    const done = (how) => { count[how]++; socket.destroy() }
    socket.once('connect', () => done('ok')).once('error', () => done('refused'))
  }
  const timer = setInterval(dial, 5)
  process.stdin.resume().once('end', () => { clearInterval(timer); setTimeout(() => { console.log(JSON.stringify(count)); process.exit() }, 200) })`

/** `oooi up --replace` as the lab runs oooi, but with patience for open connections. */
async function replace(name: string): Promise<ChildProcess> {
  const { stateDir, infraFile } = lab.oooi
  const visible = join(lab.directory, name)
  const serving = ['--state-dir', stateDir, '--pod-address', lab.plan.pods.oooi, '--drain', '5m']
  const [command = '', ...args] = inNamespace(namespaceOf(lab.plan, 'oooi'), [
    ...asOrdinaryUser(checkout, visible),
    ...[join(visible, 'bin', 'oooi'), 'up', '-f', infraFile, ...serving, '--replace'],
  ])
  const child = spawn(command, args, { env: { PATH: toolPath }, stdio: ['ignore', 'ignore', 'pipe'] })
  children.push(child)
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  await until(`${name} to serve`, () => {
    if (child.exitCode !== null) throw new Error(said)
    return said.includes('"msg":"serving"') || undefined
  })
  return child
}

test('no connection is refused, the stream of a machine goes on, and its lease is known', async () => {
  const first = await replace('first')
  await lab.oooi.ended
  // Those of an earlier try still have the patience for the stream.
  for (const older of children.slice(0, -1)) older.kill('SIGKILL')
  // The lab's own process had no patience; the machine dials again, as its agent would, and has its stream through `first`.
  await until('its stream', async () => (await streamAgeMs()) >= 0 || undefined)
  const [nsenter = '', ...where] = inNamespace(namespaceOf(lab.plan, 'vlan'), [process.execPath, '-e', connector])
  const clients = spawn(nsenter, [...where, lab.plan.vlan.proxy], { stdio: ['pipe', 'pipe', 'inherit'] })
  const before = await streamAgeMs()
  await replace('second')
  clients.stdin.end()
  const [counted] = await once(clients.stdout.setEncoding('utf8'), 'data')
  const connections = JSON.parse(counted)
  expect(connections.ok).toBeGreaterThan(0)
  // Hundreds were made; a handshake that is half done in the moment in which the old process closes may be reset.
  expect(connections.refused).toBeLessThanOrEqual(2)
  const [vm] = await lab.machines.look()
  expect(vm?.steps.filter((step) => !step.ok)).toEqual([])
  expect(await streamAgeMs()).toBeGreaterThan(before)
  expect(first.exitCode).toBeNull()
})
