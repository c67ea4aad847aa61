import { expect, test } from 'vitest'
import { Metrics } from '../../src/runtime/observe/metrics.ts'
import { sleep, systemClock } from '../../src/runtime/time/clock.ts'
import { churn } from '../bench/virtualingress/churn.ts'
import { describeWithControlPlane } from './availability.ts'
import { installKinds } from './installed-kinds.ts'
import { condition, is, worldOf } from './operator-world.ts'
import { clientFor } from './runtime-things.ts'
import { useOwnControlPlane } from './use.ts'
import { useOperator } from './use-operator.ts'
import { path, service, virtualIngress } from './virtualingress-world.ts'

const isSoak = process.env.OOOI_SOAK !== undefined

describeWithControlPlane('many VirtualIngresses', () => {
  const plane = useOwnControlPlane({ controllerManager: true, prepare: [installKinds] })
  const metrics = new Metrics()
  const operator = useOperator(plane, { controllers: ['virtualingress'], metrics })

  test('every route leads where it should after Services were recreated at random; then nothing is written', async () => {
    const client = await clientFor(plane().admin.kubeconfigPath, 'churn')
    const namespace = await plane().newNamespace()
    const [ingresses, servicesEach, seconds] = isSoak ? [200, 10, 60] : [10, 10, 3]
    const before = operator.reconciles()
    const result = await churn({
      client,
      namespace,
      ingresses,
      servicesEach,
      seconds,
      perSecond: 20,
      random: Math.random,
    })
    await client.transport.close()
    expect(result.wrong).toEqual([])
    expect(result.recreations).toBeGreaterThan(5)
    await operator.settled()
    // Only those whom a Service concerned were looked at: a few times for each change, not all for each.
    const looks = operator.reconciles() - before
    expect(looks).toBeLessThan(ingresses * (servicesEach + 15) + 6 * result.recreations)
    const writes = operator.writes()
    await sleep(systemClock, 1000)
    expect(operator.writes()).toBe(writes)
    const { body } = await metrics.expose()
    expect(body).toMatch(/oooi_virtualingress_backends\{state="Resolved"\} \d+/)
    expect(Number(/oooi_virtualingress_service_to_ingress_seconds_count (\d+)/.exec(body)?.[1])).toBeGreaterThan(5)
    expect(Number(/oooi_virtualingress_backend_changes_total (\d+)/.exec(body)?.[1])).toBeGreaterThan(5)
  })

  test('one of 64 hosts with 64 paths each is answered, whatever the API server says to it', async () => {
    const world = worldOf(plane())
    const namespace = await plane().newNamespace()
    const hostile = 'x'.repeat(63)
    const rules = Array.from({ length: 64 }, (_, host) => ({
      host: `h${host}.example.com`,
      http: { paths: Array.from({ length: 64 }, (_each, at) => path(`/${at}`, `${hostile.slice(4)}${at}`)) },
    }))
    await world.apply(service(namespace, 'one', { app: 'one' }))
    await world.apply({ ...virtualIngress(namespace, 'huge', { rules }), metadata: { name: 'huge', namespace } })
    const seen = await world.eventually(
      'virtualingresses',
      namespace,
      'huge',
      is('ResolvedRefs', 'False', 'NoMatchingService'),
    )
    expect(seen.status.summary).toBe('0/4096')
    expect(seen.status.resolvedBackends.length).toBeLessThanOrEqual(1024)
    expect(condition(seen, 'ResolvedRefs')?.message).toContain('and 4091 more')
    // Others are served meanwhile.
    await world.apply(virtualIngress(namespace, 'small', { paths: [path('/', 'one')] }))
    await world.eventually('virtualingresses', namespace, 'small', is('Ready', 'True'))
  })
})
