import { expect, it } from 'vitest'
import { routesOf } from '../../../core/proxy/routes.ts'
import { backend, proxyServer } from '../../../core/proxy/testing.ts'
import type { ConnectionEntry } from './access-log-service.ts'
import { ClientProgress } from './client-progress.ts'

const { ports } = routesOf(proxyServer({ backends: [backend('api')] }))
const alone = { connected: 1, wasTaughtBefore: false }

function connectionTo(upstreamCluster: string): ConnectionEntry {
  const place = {
    address: {
      case: 'socketAddress' as const,
      value: { address: '10.0.0.5', portSpecifier: { case: 'portValue' as const, value: 50_000 } },
    },
  }
  return {
    commonProperties: {
      accessLogType: 1,
      downstreamDirectRemoteAddress: place,
      upstreamLocalAddress: place,
      upstreamCluster,
      upstreamTransportFailureReason: '',
    },
  }
}

it('counts what is reached, and only of backends that there are', () => {
  const progress = new ClientProgress(() => 1000)
  progress.follow(ports, ['api'])
  progress.note([connectionTo('api'), connectionTo('made-up'), {}])
  expect(progress.list(alone)).toEqual([{ address: '10.0.0.5', reached: ['api'], failing: [], changedMs: 1000 }])
})

it('says nothing without an Envoy, nor before one that served already has told of all its connections', () => {
  let nowMs = 1000
  const progress = new ClientProgress(() => nowMs)
  progress.follow(ports, ['api'])
  progress.note([connectionTo('api')])
  expect(progress.list({ connected: 0, wasTaughtBefore: false })).toBeUndefined()
  expect(progress.list({ connected: 1, wasTaughtBefore: true })).toBeUndefined()
  nowMs += 70_000
  expect(progress.list({ connected: 1, wasTaughtBefore: true })).toHaveLength(1)
})
