import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sleep, systemClock } from '../../src/runtime/time/clock.ts'
import { describeWithControlPlane } from './availability.ts'
import {
  attachment,
  condition,
  infra,
  installKinds,
  installMultus,
  type RunningOperator,
  startOperator,
  until,
  worldOf,
} from './operator-world.ts'
import { useOwnControlPlane } from './use.ts'

describeWithControlPlane('the operator with many Infras', () => {
  const plane = useOwnControlPlane()
  let operator: RunningOperator
  let namespace = ''
  const world = () => worldOf(plane())

  beforeAll(async () => {
    await installKinds(plane())
    await installMultus(plane())
    operator = await startOperator(plane())
    namespace = await plane().newNamespace()
    await world().apply(attachment(namespace))
  })
  afterAll(() => operator?.stop())

  async function settled(): Promise<[number, number]> {
    let before: [number, number] = [-1, -1]
    await until('nothing happens any more', async () => {
      const now: [number, number] = [operator.reconciles(), operator.writes()]
      const isSame = now.join() === before.join()
      before = now
      if (!isSame) await sleep(systemClock, 700)
      return isSame
    })
    return before
  }

  test('twenty of them come to rest: no write, no reconcile', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `c${index}`)
    await world().apply(...names.map((name) => infra(namespace, name)))
    await until('all Deployments', async () => (await world().list('deployments', namespace)).length === 60)
    const before = await settled()
    await sleep(systemClock, 2000)
    expect([operator.reconciles(), operator.writes()]).toEqual(before)
  })

  test('a manager that starts anew changes nothing', async () => {
    await settled()
    const versions = async () => {
      const lists = await Promise.all(
        ['infras', 'dhcpservers', 'dnsservers', 'proxyservers', 'deployments', 'services', 'roles'].map((plural) =>
          world().list(plural, namespace),
        ),
      )
      return lists.flat().map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`)
    }
    const before = await versions()
    await operator.stop()
    operator = await startOperator(plane())
    await until('it worked', async () => operator.reconciles() >= 80)
    await settled()
    expect(await versions()).toEqual(before)
  })

  test('any Infra that the API server accepts gives components or a problem', async () => {
    const other = await plane().newNamespace()
    const address = fc.integer({ min: 0, max: 255 }).map((last) => `192.168.100.${last}`)
    const component = fc.record(
      { enabled: fc.boolean(), serverIP: address, rangeStart: address, rangeEnd: address },
      { requiredKeys: [] },
    )
    const specs = fc.record({
      dhcp: component,
      dns: fc.record(
        {
          serverIP: address,
          clusterName: fc.constantFrom('c1', 'x'),
          baseDomain: fc.constantFrom('example.com', 'a.b'),
        },
        { requiredKeys: [] },
      ),
      proxy: fc.record(
        { enabled: fc.boolean(), serverIP: address, controlPlaneNamespace: fc.constantFrom(other, 'victim') },
        { requiredKeys: [] },
      ),
      apps: fc.record({ enabled: fc.boolean(), address }, { requiredKeys: [] }),
      gateway: fc.option(address, { nil: undefined }),
    })
    const accepted: string[] = []
    const samples = fc.sample(specs, { numRuns: 60, seed: 7 })
    for (const [index, { dhcp, dns, proxy, apps, gateway }] of samples.entries()) {
      const name = `p${index}`
      const body = {
        ...infra(other, name),
        spec: {
          networkConfig: { cidr: '192.168.100.0/24', gateway, networkAttachmentDefinition: 'vlan100' },
          infraComponents: { dhcp, dns, proxy },
          appsIngress: apps,
        },
      }
      const path = `/apis/hostedcluster.densityops.com/v1alpha1/namespaces/${other}/infras`
      const answer = await plane().request(path, { method: 'POST', body })
      if (answer.status === 201) accepted.push(name)
    }
    expect(accepted.length).toBeGreaterThan(3)
    for (const name of accepted) {
      const object = await world().eventually('infras', other, name, (it) => condition(it, 'Accepted') !== undefined)
      const { infraComponents } = object.spec
      if (condition(object, 'Accepted')?.status === 'False') continue
      for (const part of ['dhcp', 'dns', 'proxy']) {
        const isOn = infraComponents[part] !== undefined && infraComponents[part].enabled !== false
        if (isOn) await world().eventually(`${part}servers`, other, `${name}-${part}`)
      }
    }
  })
})
