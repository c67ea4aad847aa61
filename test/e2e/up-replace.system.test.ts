import { spawn } from 'node:child_process'
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

afterAll(async () => {
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

test('the stream of a machine goes on, its lease is known, and new connections find the new process', async () => {
  const before = await streamAgeMs()
  const [nsenter = '', ...where] = inNamespace(namespaceOf(lab.plan, 'vlan'), [process.execPath, '-e', connector])
  const clients = spawn(nsenter, [...where, lab.plan.vlan.proxy], { stdio: ['pipe', 'pipe', 'inherit'] })
  const { stateDir, infraFile } = lab.oooi
  const visible = join(lab.directory, 'checkout-of-the-next')
  const [command = '', ...args] = inNamespace(namespaceOf(lab.plan, 'oooi'), [
    ...asOrdinaryUser(checkout, visible),
    join(visible, 'bin', 'oooi'),
    ...[
      'up',
      '-f',
      infraFile,
      '--state-dir',
      stateDir,
      '--pod-address',
      lab.plan.pods.oooi,
      '--drain',
      '1s',
      '--replace',
    ],
  ])
  const next = spawn(command, args, { env: { PATH: toolPath }, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  next.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  try {
    await until('the new process to serve', () => {
      if (next.exitCode !== null) throw new Error(said)
      return said.includes('"msg":"serving"') || undefined
    })
    clients.stdin.end()
    const [line] = await once(clients.stdout.setEncoding('utf8'), 'data')
    const connections = JSON.parse(line)
    process.stderr.write(`connections during the take-over: ${line}`)
    expect(connections.ok).toBeGreaterThan(0)
    const [vm] = await lab.machines.look()
    expect(vm?.steps.filter((step) => !step.ok)).toEqual([])
    expect(await streamAgeMs()).toBeGreaterThan(before)
    expect(lab.oooi.hasEnded()).toBe(false)
  } finally {
    next.kill('SIGTERM')
    await once(next, 'close')
  }
}, 90_000)
