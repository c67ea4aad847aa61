import { expect, test } from 'vitest'
import { oooi } from './testing.ts'

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

test('explain knows conditions, and the reasons for what is well', async () => {
  expect((await oooi('explain', 'networkattached')).stdout).toMatch(
    /^NetworkAttached, a condition of DHCPServer, DNSServer, ProxyServer\n {2}.+\n$/,
  )
  expect((await oooi('explain', 'NotSeen')).stdout).toMatch(/^NotSeen\n {2}.+\n$/)
  expect((await oooi('explain', 'Accepted')).stdout.split('\n')).toHaveLength(5)
  expect(JSON.parse((await oooi('explain', 'Serving', '-o', 'json')).stdout)).toMatchObject([
    { condition: 'Serving', of: ['DHCPServer', 'DNSServer', 'ProxyServer'] },
    { reason: 'Serving' },
  ])
  expect((await oooi('explain', 'Quux')).stderr).toBe(
    'oooi: there is no reason or condition Quux: oooi explain lists all reasons\n',
  )
})
