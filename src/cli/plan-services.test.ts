import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { oooi } from './testing.ts'

const names = ['--name', 'foo', '--base-domain', 'example.com']

test('prints the block for a HostedCluster, for people and for programs', async () => {
  const { exitCode, stdout } = await oooi('plan-services', ...names)
  expect(exitCode).toBe(0)
  expect(parse(stdout).spec.services[0]).toEqual({
    service: 'APIServer',
    servicePublishingStrategy: { type: 'LoadBalancer', loadBalancer: { hostname: 'api.foo.example.com' } },
  })
  const json = await oooi('plan-services', ...names, '--publish', 'nodeport', '-o', 'json')
  expect(JSON.parse(json.stdout).spec.services).toHaveLength(4)
  expect(json.stdout).toContain('"nodePort":{"address":"cp.foo.example.com"}')
})

test.each([[['--name', 'foo']], [[...names, '--publish', 'carrier']], [['--name', 'a b', '--base-domain', 'x']]])(
  '%j is wrong usage',
  async (parameters) => {
    expect((await oooi('plan-services', ...parameters)).exitCode).toBe(2)
  },
)
