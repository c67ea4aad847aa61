import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { oooi } from './testing.ts'

const stateDir = mkdtempSync(join(tmpdir(), 'oooi-program-'))
afterAll(() => rmSync(stateDir, { recursive: true }))

test('help teaches: what it is, where to start, the exit codes', async () => {
  const { exitCode, stdout } = await oooi('--help')
  expect(exitCode).toBe(0)
  for (const line of ['oooi lab', 'oooi up -f infra.yaml', 'Exit codes: 0 done']) expect(stdout).toContain(line)
})

test('every command explains itself', async () => {
  for (const command of [
    'up',
    'status',
    'leases',
    'render',
    'lab',
    'dhcp',
    'dns',
    'proxy',
    'dns-forward-snippet',
    'crds',
    'explain',
    'manager',
    'lab-cluster',
    'version',
  ]) {
    const { exitCode, stdout } = await oooi(command, '--help')
    expect({ command, exitCode }).toEqual({ command, exitCode: 0 })
    expect(stdout).toContain(`Usage: oooi ${command}`)
  }
})

test.each([
  [['nonsense'], 'nonsense'],
  [['up'], '--file'],
  [['up', '-f', 'x.yaml', '--pod-address', 'eth0'], 'must be an IPv4 address'],
  [['up', '-f', 'x.yaml', '--observe', '9090'], 'must be an IPv4 address and a port'],
  [['up', '-f', 'x.yaml', '--drain', 'soon'], 'must be a duration'],
  [['status', '-o', 'xml'], 'text, json'],
])('wrong usage exits 2 and says what is wrong: %j', async (args, said) => {
  const { exitCode, stdout, stderr } = await oooi(...args)
  expect([exitCode, stdout]).toEqual([2, ''])
  expect(stderr).toContain(said)
})

test.each([
  [
    ['up', '-f', '/nowhere/infra.yaml', '--state-dir', stateDir],
    3,
    'cannot read /nowhere/infra.yaml: there is no such file',
  ],
  [['dns', '--config', '/nowhere/dns.yaml', '--state-dir', stateDir], 3, 'cannot read /nowhere/dns.yaml'],
  [['render', '-f', '/nowhere/infra.yaml'], 3, 'cannot read /nowhere/infra.yaml'],
  [['status', '--state-dir', '/nowhere'], 4, 'no oooi answers on /nowhere/oooi.sock'],
])('one sentence, and the exit code that goes with it: %j', async (args, code, sentence) => {
  const { exitCode, stdout, stderr } = await oooi(...args)
  expect(stderr).toContain(sentence)
  expect([exitCode, stdout]).toEqual([code, ''])
})

test('version speaks to programs too', async () => {
  const { stdout } = await oooi('version', '-o', 'json')
  expect(JSON.parse(stdout)).toMatchObject({ version: expect.stringMatching(/^\d+\.\d+\.\d+/) })
})

test('explain tells meaning and remedy, for people and programs, whatever the case', async () => {
  expect((await oooi('explain', 'poolexhausted')).stdout).toMatch(/^PoolExhausted\n {2}.+\n {2}.+\n$/)
  const { stdout } = await oooi('explain', 'PortInUse', '-o', 'json')
  expect(JSON.parse(stdout)).toMatchObject([{ reason: 'PortInUse', blame: 'host' }])
  expect((await oooi('explain')).stdout).toContain('AddressMissing')
  expect(await oooi('explain', 'PortInUze')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('PortInUse'),
  })
})
