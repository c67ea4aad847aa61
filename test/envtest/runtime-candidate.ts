import { randomUUID } from 'node:crypto'
import { configMap } from '../../src/runtime/kube/kinds.ts'
import { Election } from '../../src/runtime/leader/election.ts'
import { systemClock } from '../../src/runtime/time/clock.ts'
import { clientFor, silent } from './runtime-things.ts'

/**
 * A process that wants to be the leader, and as the leader writes as much as it can: node runtime-candidate.ts
 * <kubeconfig> <namespace> <name>. Says `elected` and `lost`; ends with 1 when it lost, with 0 when told to stop.
 */
const [kubeconfig = '', namespace = '', name = ''] = process.argv.slice(2)
const client = await clientFor(kubeconfig, name)
const election = new Election({
  client,
  lease: { namespace, name: 'lock' },
  identity: `${name}-${randomUUID()}`,
  clock: systemClock,
  random: Math.random,
  log: silent,
  leaseSeconds: 3,
  renewDeadlineSeconds: 2,
  retrySeconds: 0.4,
})
let isOver = false
const say = (word: string): boolean => process.stdout.write(`${word}\n`)

process.on('SIGTERM', async () => {
  isOver = true
  await election.stop()
  say('stopped')
  process.exit(0)
})

election.start()
await election.elected
say('elected')
const writer = client.fencedBy(election.fence)
const writers = Array.from({ length: 10 }, async (_, lane) => {
  for (let i = 0; !isOver; i++) {
    const metadata = { name: `${name}-${lane}-${i}`, namespace, labels: { by: name } }
    await writer.create(configMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata }).catch(() => undefined)
    // A loop of refusals would leave no time for anything else.
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
})
say(`lost: ${(await election.lost).message}`)
// It goes on trying for a while, as a program with many things under way would.
await new Promise((resolve) => setTimeout(resolve, 1000))
isOver = true
await Promise.all(writers)
process.exit(1)
