import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { sleep, systemClock } from '../../src/runtime/time/clock.ts'
import { describeWithControlPlane } from './availability.ts'
import { installKinds, installMultus } from './installed-kinds.ts'
import { attachment, condition, infra, until, worldOf } from './operator-world.ts'
import { useOwnControlPlane } from './use.ts'
import { useOperator } from './use-operator.ts'

describeWithControlPlane('the operator with many Infras', () => {
  const plane = useOwnControlPlane({ prepare: [installKinds, installMultus] })
  const operator = useOperator(plane)
  let namespace = ''
  const world = () => worldOf(plane())

  beforeAll(async () => {
    namespace = await plane().newNamespace()
    await world().apply(attachment(namespace))
  })

  test('twenty of them come to rest: no write, no reconcile', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `c${index}`)
    await world().apply(...names.map((name) => infra(namespace, name)))
    await until('all Deployments', async () => (await world().list('deployments', namespace)).length === 60)
    await operator.settled()
    const before = [operator.reconciles(), operator.writes()]
    await sleep(systemClock, 2000)
    expect([operator.reconciles(), operator.writes()]).toEqual(before)
  })

  test('a manager that starts anew changes nothing', async () => {
    await operator.settled()
    const versions = async () => {
      const lists = await Promise.all(
        ['infras', 'dhcpservers', 'dnsservers', 'proxyservers', 'deployments', 'services', 'roles'].map((plural) =>
          world().list(plural, namespace),
        ),
      )
      return lists.flat().map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`)
    }
    const before = await versions()
    await operator.restart()
    await until('it worked', async () => operator.reconciles() >= 80)
    await operator.settled()
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
