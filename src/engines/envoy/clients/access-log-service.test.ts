import { once } from 'node:events'
import { Client, credentials } from '@grpc/grpc-js'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../../../lab/testing.ts'
import { envoyMessages } from '../xds/messages.ts'
import { XdsServer } from '../xds/xds-server.ts'

const told: string[] = []
const server = new XdsServer({
  onChange: () => {},
  onConnections: (entries) => {
    told.push(...entries.map(({ commonProperties }) => commonProperties?.upstreamCluster ?? ''))
  },
})
let client: Client

beforeAll(async () => {
  const port = await server.listen(0)
  client = new Client(`127.0.0.1:${port}`, credentials.createInsecure())
})

afterAll(() => {
  client.close()
  server.close()
})

/** One stream with these messages, as bytes; resolves when it has ended, well or not. */
async function send(messages: readonly Uint8Array[]): Promise<void> {
  const path = '/envoy.service.accesslog.v3.AccessLogService/StreamAccessLogs'
  const identity = (bytes: Buffer) => bytes
  const stream = client.makeClientStreamRequest(path, identity, identity, () => {})
  stream.on('error', () => {})
  for (const bytes of messages) stream.write(Buffer.from(bytes))
  stream.end()
  await once(stream, 'status')
}

const type = 'envoy.service.accesslog.v3.StreamAccessLogsMessage'
const entry = { common_properties: { upstream_cluster: 'api' } }

it('whatever is sent, the next Envoy is heard', async () => {
  const garbage = fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(garbage, async (messages) => {
      await send(messages)
      told.length = 0
      await send([
        envoyMessages().encodeJson(type, { tcp_logs: { log_entry: [entry] } }),
        envoyMessages().encodeJson(type, { http_logs: { log_entry: [entry] } }),
      ])
      expect(await until('the entry', () => (told.length > 0 ? told : undefined))).toEqual(['api'])
    }),
  )
})
