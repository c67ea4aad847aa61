import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { provideEnvoy } from '../../../tools/envoy/provide.ts'
import { envoyFiles } from '../../core/proxy/envoy/program.ts'
import { run } from '../../lab/host/command.ts'
import { until } from '../../lab/testing.ts'
import { nameBehind, namingServer } from '../proxy/testing/conversation.ts'
import { hello } from '../proxy/testing/hello-builder.ts'
import { freePort } from '../proxy/testing/loopback.ts'
import { backendTo } from '../proxy/testing/proxy-fixture.ts'
import { EnvoyFixture } from './testing/envoy-fixture.ts'

const golden = new URL('../../core/proxy/envoy/golden/', import.meta.url)

it.each(readdirSync(golden).filter((name) => name.endsWith('.out.yaml')))('Envoy takes %s', async (name) => {
  const file = new URL(name, golden).pathname
  expect(await run(await provideEnvoy(process.env), ['--mode', 'validate', '-l', 'error', '-c', file])).toContain('OK')
})

it('also speaks to an Envoy that wants the whole state each time', async () => {
  await using api = await namingServer('api')
  await using other = await namingServer('other')
  await using envoy = await EnvoyFixture.start({ xdsPort: await freePort() })
  await envoy.engine.stop(0)
  envoy.replaceEngine({ withoutEnvoy: true, retryRejectedMs: 200 })
  const [port, otherPort] = [await freePort(), await freePort()]
  const backends = [backendTo('api', port, api.port), backendTo('other', otherPort, other.port)]
  await envoy.apply(backends.slice(0, 1))
  const bootstrap = await readFile(envoyFiles(envoy.directory).bootstrap, 'utf8')
  const bootstrapFile = join(envoy.directory, 'whole-state.json')
  await writeFile(bootstrapFile, bootstrap.replace('DELTA_GRPC', 'GRPC'))
  await using _ = envoy.startNeighbour(bootstrapFile)
  await envoy.programmed()
  expect(await nameBehind(port, hello('api.example.com'))).toBe('api')
  await envoy.serve(backends)
  expect(await nameBehind(otherPort, hello('other.example.com'))).toBe('other')
  await envoy.serve([{ ...backends[0], ...backendTo('api', port, other.port) }])
  expect(await nameBehind(port, hello('api.example.com'))).toBe('other')
  expect(
    await until('the removal', async () => (await envoy.stat('cluster_manager.cluster_removed')) === 1 || undefined),
  ).toBe(true)
  expect(await envoy.stat('listener_manager.listener_removed')).toBe(1)
})
