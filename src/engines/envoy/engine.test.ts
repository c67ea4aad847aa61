import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { envoyFiles } from '../../core/proxy/envoy/program.ts'
import { proxyServer } from '../../core/proxy/testing.ts'
import { createLogger } from '../../runtime/observe/log.ts'
import { Metrics } from '../../runtime/observe/metrics.ts'
import { createEnvoyEngine } from './engine.ts'

test('what Envoy starts with is written at the next try when it could not be at the first', async () => {
  const stateDir = await mkdtemp(join(tmpdir(), 'oooi-envoy-'))
  const inTheWay = join(stateDir, 'envoy')
  await writeFile(inTheWay, '')
  const log = createLogger('silent', { write: () => {} })
  const engine = createEnvoyEngine({
    log,
    metrics: new Metrics(),
    now: Date.now,
    podAddresses: [],
    stateDir,
    xdsPort: 0,
  })
  const server = proxyServer({
    serverIP: '127.0.0.1',
    backends: [{ name: 'api', hostname: 'api.example.com', port: 6443, targetAddress: '192.0.2.1', targetPort: 6443 }],
  })

  const refused = await engine.apply(server)
  await rm(inTheWay)
  const taken = await engine.apply(server)
  const bootstrap = await readFile(envoyFiles(stateDir).bootstrap, 'utf8')
  await engine.stop(0)
  await rm(stateDir, { recursive: true })

  expect(refused).toMatchObject({
    problems: [{ reason: 'StateDirUnusable', message: expect.stringContaining('the files for Envoy') }],
  })
  expect(taken.ok).toBe(true)
  expect(JSON.parse(bootstrap)).toHaveProperty('dynamic_resources')
})
