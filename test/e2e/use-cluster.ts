import { afterAll, beforeAll, describe } from 'vitest'
import { findAssets } from '../../src/lab/kubernetes/assets.ts'
import { type Cluster, type ClusterShape, withCluster } from '../../src/lab/kubernetes/cluster.ts'
import { mayNotSkip } from '../../tools/kube/locate.ts'

const assets = await findAssets(process.getuid?.() ?? -1, process.env)
const skip = !assets.ok && !mayNotSkip(process.env)
if (skip)
  process.stderr.write(`SKIPPED: tests on a real node. ${assets.problems.map(({ message }) => message).join(' ')}\n`)

/** `describe` where a Kubernetes with nodes can be started; elsewhere it skips and says so, in CI it fails. */
export const describeWithCluster = describe.skipIf(skip)

/** One of the journeys that `make test-e2e` runs beside the one of the CI tier. */
export const describeInLongRun = describe.skipIf(skip || process.env.OOOI_E2E !== 'all')

/** A cluster for this test file, gone after its last test. Call the returned function inside tests. */
export function useCluster(shape: ClusterShape): () => Cluster {
  const started = Promise.withResolvers<Cluster>()
  const finished = Promise.withResolvers<void>()
  let running: Promise<void> | undefined
  let cluster: Cluster | undefined
  beforeAll(async () => {
    if (!assets.ok) throw new Error(assets.problems.map(({ message }) => message).join(' '))
    const { value } = assets
    running = withCluster(
      { assets: value, ...shape, onEvent: () => {}, stop: new AbortController().signal },
      (ready) => {
        started.resolve(ready)
        return finished.promise
      },
    )
    running.catch(started.reject)
    cluster = await started.promise
  })
  afterAll(async () => {
    finished.resolve()
    await running
  })
  return () => {
    if (!cluster) throw new Error('the cluster is there inside tests and hooks only')
    return cluster
  }
}
