import { isDeepStrictEqual } from 'node:util'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { addFinalizer, removeFinalizer } from '../../src/runtime/controller/finalizer.ts'
import { controllerReference } from '../../src/runtime/controller/owner.ts'
import { runControllers } from '../../src/runtime/controller/run.ts'
import { EventRecorder } from '../../src/runtime/events/recorder.ts'
import type { KubeClient } from '../../src/runtime/kube/client.ts'
import { isConflict } from '../../src/runtime/kube/error.ts'
import { FenceClosed } from '../../src/runtime/kube/fence.ts'
import { type ConfigMap, configMap } from '../../src/runtime/kube/kinds.ts'
import { systemClock } from '../../src/runtime/time/clock.ts'
import { eventually } from '../chaos/follow.ts'
import { describeWithControlPlane } from './availability.ts'
import {
  clientFor,
  installThings,
  silent,
  type Thing,
  type ThingOperator,
  thing,
  thingOperator,
} from './runtime-things.ts'
import { useSharedControlPlane } from './use.ts'

describeWithControlPlane('a controller', () => {
  const plane = useSharedControlPlane()
  let client: KubeClient
  let namespace: string
  let operator: ThingOperator
  let stop: () => Promise<void>

  beforeAll(async () => {
    await installThings(plane())
    client = await clientFor(plane().admin.kubeconfigPath)
  })
  beforeEach(async () => {
    namespace = await plane().newNamespace('things')
    ;({ operator, stop } = start(client))
  })
  afterEach(() => stop())

  function start(writer: KubeClient): { operator: ThingOperator; stop: () => Promise<void> } {
    const end = new AbortController()
    const made = thingOperator(client, writer, { namespace })
    const { informers, controller } = made
    const common = { clock: systemClock, log: silent, signal: end.signal, graceMs: 1000 }
    const running = runControllers({ informers, controllers: [controller], ...common })
    return {
      operator: made,
      async stop() {
        end.abort()
        await running
      },
    }
  }

  const aThing = (name: string, size: number): Thing => ({
    apiVersion: 'runtime.test/v1',
    kind: 'Thing',
    metadata: { name, namespace },
    spec: { size },
  })
  const hand = () => client.as('hand')
  const things = async (): Promise<readonly Thing[]> => (await client.list(thing, { namespace })).items
  const made = async (): Promise<readonly ConfigMap[]> =>
    (await client.list(configMap, { namespace, labelSelector: 'made-by=things' })).items
  const names = async (): Promise<string[]> => (await made()).map(({ metadata }) => metadata.name)
  const isReady = ({ metadata, status }: Thing): boolean =>
    status?.conditions?.some(
      (it) => it.type === 'Ready' && it.status === 'True' && it.observedGeneration === metadata.generation,
    ) ?? false
  const settled = (count: number) =>
    eventually(
      async () => (await things()).every(isReady) && (await made()).length === count,
      () => JSON.stringify(operator.controller.stats()),
      60_000,
    )

  it('makes what is asked for, and then does nothing at all', async () => {
    for (let i = 0; i < 20; i++) await hand().applyNew(thing, aThing(`t${i}`, 3))
    await settled(60)
    const calm = async (): Promise<unknown> => {
      const versions = [...(await things()), ...(await made())].map(({ metadata }) => metadata.resourceVersion)
      const writes = [...client.transport.stats().calls].filter(([call]) => !call.startsWith('GET'))
      return { versions, writes, results: { ...operator.controller.stats().results } }
    }
    // What was written last comes back as an event, on a busy machine a moment later.
    let before = await calm()
    await eventually(
      async () => {
        const earlier = before
        await new Promise((resolve) => setTimeout(resolve, 700))
        before = await calm()
        return isDeepStrictEqual(before, earlier)
      },
      () => 'still busy',
    )
    await new Promise((resolve) => setTimeout(resolve, 3000))
    expect(await calm()).toEqual(before)
    expect(operator.controller.stats()).toMatchObject({ failing: 0, delayed: 0, waiting: 0 })
  })

  it('repairs what somebody edited or deleted', async () => {
    await hand().applyNew(thing, aThing('drift', 2))
    await settled(2)
    const [first, second] = await made()
    await plane().kubectl([
      'patch',
      'configmap',
      'drift-0',
      '-n',
      namespace,
      '--type=merge',
      '-p',
      '{"data":{"index":"x"}}',
    ])
    await hand().delete(configMap, { namespace, name: 'drift-1' }, second?.metadata.uid ?? '')
    await eventually(
      async () => {
        const [one, other] = await made()
        return one?.data?.index === '0' && other !== undefined && other.metadata.uid !== second?.metadata.uid
      },
      () => 'not repaired',
    )
    expect((await made())[0]?.metadata.uid).toBe(first?.metadata.uid)
  })

  it('removes what is not asked for any more', async () => {
    const asked = await hand().applyNew(thing, aThing('shrink', 3))
    await settled(3)
    await hand().apply(thing, aThing('shrink', 1), asked.metadata.uid ?? '')
    await settled(1)
    expect(await names()).toEqual(['shrink-0'])
  })

  it('never takes over what somebody else made, and says so', async () => {
    await plane().kubectl(['create', 'configmap', 'taken-0', '-n', namespace, '--from-literal=mine=yes'])
    await hand().applyNew(thing, aThing('taken', 2))
    await eventually(
      async () => (await things())[0]?.status?.conditions?.[0]?.reason === 'NameTaken',
      () => 'no condition',
    )
    expect(await names()).toEqual(['taken-1'])
    expect((await client.get(configMap, { namespace, name: 'taken-0' }))?.data).toEqual({ mine: 'yes' })
  })

  it('keeps the time of a condition while its status stays', async () => {
    const asked = await hand().applyNew(thing, aThing('time', 1))
    await settled(1)
    const time = async () => (await things())[0]?.status?.conditions?.[0]?.lastTransitionTime
    const before = await time()
    await new Promise((resolve) => setTimeout(resolve, 1100))
    await hand().apply(thing, aThing('time', 2), asked.metadata.uid ?? '')
    await settled(2)
    expect(await time()).toBe(before)
  })

  it('what refers to an owner goes with it', async () => {
    // Of a built-in kind: the collector looks for new kinds only twice a minute.
    const aConfigMap = (name: string): ConfigMap => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace },
    })
    const owner = await hand().applyNew(configMap, aConfigMap('owner'))
    const owned = aConfigMap('owned')
    owned.metadata.ownerReferences = [controllerReference(owner)]
    await hand().applyNew(configMap, owned)
    await hand().delete(configMap, owner.metadata, owner.metadata.uid ?? '')
    await eventually(
      async () => (await client.get(configMap, { namespace, name: 'owned' })) === undefined,
      () => 'it is still there',
    )
  })

  it('broken off after any write and started again, comes to the same end', async () => {
    await stop()
    const outcome = async (): Promise<unknown> => ({
      things: (await things()).map(({ spec, status }) => [
        spec,
        status?.made,
        status?.conditions?.map((it) => it.status),
      ]),
      made: (await made()).map(({ metadata, data }) => [metadata.name, data, metadata.ownerReferences?.length]),
    })
    await hand().applyNew(thing, aThing('crash', 3))
    for (let writes = 0; writes <= 5; writes++) {
      const asked = await client.get(thing, { namespace, name: 'crash' })
      await hand().apply(thing, aThing('crash', 1 + (writes % 3)), asked?.metadata.uid ?? '')
      let left = writes
      const dying = start(
        client.fencedBy(() => {
          if (left-- <= 0) throw new FenceClosed('the process is dead')
        }),
      )
      await eventually(
        () => left < 0 || dying.operator.controller.stats().results.done > 0,
        () => 'it neither died nor finished',
      )
      await dying.stop()
    }
    ;({ operator, stop } = start(client))
    await settled(3)
    expect(await outcome()).toEqual({
      things: [[{ size: 3 }, 3, ['True']]],
      made: [0, 1, 2].map((i) => [`crash-${i}`, { index: String(i) }, 1]),
    })
  })

  it('a finalizer holds the object until it is removed', async () => {
    const asked = await hand().applyNew(thing, aThing('held', 0))
    const newest = async () => (await client.get(thing, asked.metadata)) ?? asked
    const held = await insist(async () => addFinalizer(client, thing, await newest(), 'runtime.test/cleanup'))
    await hand().delete(thing, held.metadata, held.metadata.uid ?? '')
    expect((await newest()).metadata.deletionTimestamp).toBeDefined()
    await insist(async () => removeFinalizer(client, thing, await newest(), 'runtime.test/cleanup'))
    expect(await client.get(thing, held.metadata)).toBeUndefined()
  })

  it('events are read by kubectl, and counted', async () => {
    const regarding = await hand().applyNew(thing, aThing('noisy', 0))
    const reporter = { controller: 'runtime.test/things', instance: 'here' }
    const recorder = new EventRecorder({ client, clock: systemClock, log: silent, ...reporter })
    for (let i = 0; i < 3; i++) {
      recorder.record({ regarding, type: 'Warning', reason: 'TooLoud', action: 'Listen', note: 'The thing is loud.' })
      await recorder.flush()
    }
    expect(recorder.stats).toMatchObject({ written: 3, dropped: 0 })
    const text = await plane().kubectl(['describe', 'thing', 'noisy', '-n', namespace])
    expect(text).toMatch(/Warning\s+TooLoud\s+.*\(x3 over.*The thing is loud\./)
  })
})

/** As a reconcile would be: the operator of this test writes the status at any time, and then the other write conflicts. */
async function insist<Value>(write: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await write()
    } catch (error) {
      if (!isConflict(error)) throw error
    }
  }
}
