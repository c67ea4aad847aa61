import { beforeAll, describe } from 'vitest'
import { locateEnvoyGateway } from '../../tools/envoy-gateway/envoy-gateway.ts'
import { mayNotSkip } from '../../tools/kube/locate.ts'
import { installEnvoyGateway, openGateway } from './traffic/gateway/envoy-gateway.ts'
import { describeJourney } from './traffic/journey.ts'
import type { Door } from './traffic/visitor.ts'
import { host, namespace, prepare, secretName } from './traffic/world.ts'
import { describeWithCluster, useCluster } from './use-cluster.ts'

const parts = await locateEnvoyGateway()
const isWanted = process.env.OOOI_E2E === 'all'
if (isWanted && !parts) process.stderr.write('SKIPPED: HTTPRoutes through Envoy Gateway. Run "make setup-test-e2e".\n')

const describeLong = isWanted && (parts || mayNotSkip(process.env)) ? describeWithCluster : describe.skip

/** Real traffic through the real Envoy Gateway and Envoy, both in pods of the real node. */
describeLong('a VirtualIngress as an HTTPRoute, through Envoy Gateway', () => {
  const cluster = useCluster({ nodes: 1 })
  const gateway = { namespace, name: 'edge', host, secret: secretName }
  let door: Door | undefined
  beforeAll(async () => {
    if (!parts) throw new Error('no Envoy Gateway in the cache: make setup-test-e2e')
    await installEnvoyGateway(cluster(), parts)
    await prepare(cluster(), ['gatewayApi.enabled=true'])
    door = await openGateway(cluster(), gateway)
  }, 600_000)

  describeJourney({
    cluster,
    door: () => {
      if (!door) throw new Error('the Gateway did not open')
      return door
    },
    spec: { output: 'HTTPRoute', parentRefs: [{ name: gateway.name }] },
    generated: 'httproute/relay-generated',
  })
})
