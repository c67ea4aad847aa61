import { afterAll, beforeAll } from 'vitest'
import { describeJourney } from './traffic/journey.ts'
import { startNginx } from './traffic/nginx/router.ts'
import type { Door } from './traffic/visitor.ts'
import { host, namespace, prepare, secretName } from './traffic/world.ts'
import { describeInLongRun, useCluster } from './use-cluster.ts'

/** Real traffic through a real nginx. What makes its configuration of the Ingress is a small renderer of the tests. */
describeInLongRun('a VirtualIngress as an Ingress, through nginx', () => {
  const cluster = useCluster({ nodes: 1 })
  const over = new AbortController()
  let door: Door | undefined
  beforeAll(async () => {
    await prepare(cluster())
    door = await startNginx(cluster(), { namespace, name: 'relay-generated' }, over.signal)
  }, 300_000)
  afterAll(() => over.abort())

  describeJourney({
    cluster,
    door: () => {
      if (!door) throw new Error('nginx did not start')
      return door
    },
    spec: { ingressClassName: 'nginx', tls: [{ hosts: [host], secretName }] },
    generated: 'ingress/relay-generated',
  })
})
