import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { run } from '../host/command.ts'
import { startProcess } from '../host/process.ts'
import { buildNetwork, inNamespace } from '../network/build.ts'
import { tracesOf } from '../testing.ts'
import { makeCgroup } from './cgroup.ts'
import { Ledger } from './ledger.ts'

it('takes namespaces, cables, mounts, processes and strangers in its namespaces away', async () => {
  const ledger = Ledger.create(Math.random)
  const namespace = `${ledger.id}-host`
  await buildNetwork(ledger, {
    bridges: [{ namespace: `${ledger.id}-switch` }],
    cables: [
      { namespace, interface: 'eth0', bridge: `${ledger.id}-switch`, port: 'host', addresses: ['192.0.2.1/24'] },
    ],
  })
  const mount = join(ledger.directory, 'mount')
  mkdirSync(mount)
  ledger.record({ kind: 'mount', path: mount })
  await run('mount', ['-t', 'tmpfs', 'tmpfs', mount])
  const known = startProcess(ledger, {
    what: 'known',
    command: inNamespace(namespace, ['sleep', '600']),
    logFile: join(ledger.directory, 'known.log'),
    graceMs: 1000,
  })
  const [command = '', ...args] = inNamespace(namespace, ['sleep', '600'])
  const stranger = spawn(command, args, { stdio: 'ignore' })
  await once(stranger, 'spawn')
  const strangerEnds = once(stranger, 'exit')
  expect((await tracesOf(ledger.id)).length).toBeGreaterThan(4)

  await ledger.clear()

  expect(await tracesOf(ledger.id)).toEqual([])
  expect(await known.ended).toBe('SIGTERM')
  expect((await strangerEnds)[1]).toBe('SIGKILL')
})

it('takes a control group away with what is in it and below it', async () => {
  const ledger = Ledger.create(Math.random)
  const path = `/${ledger.id}-pods`
  ledger.record({ kind: 'cgroup', path })
  makeCgroup(path)
  makeCgroup(`${path}/below`)
  const groups = (await run('find', ['/sys/fs/cgroup', '-type', 'd', '-path', `*${path}/below`])).trim().split('\n')
  const inside = spawn('sleep', ['600'], { stdio: 'ignore' })
  const ends = once(inside, 'exit')
  await once(inside, 'spawn')
  writeFileSync(join(groups[0] ?? '', 'cgroup.procs'), String(inside.pid))

  await ledger.clear()

  expect((await ends)[1]).toBe('SIGKILL')
  expect((await run('find', ['/sys/fs/cgroup', '-name', `${ledger.id}*`])).trim()).toBe('')
})
