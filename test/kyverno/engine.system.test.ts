import { beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../src/lab/testing.ts'
import { helmFor } from '../envtest/helm.ts'
import { useOwnControlPlane } from '../envtest/use.ts'
import { describeWithKyverno } from './availability.ts'
import { useKyverno } from './use-kyverno.ts'

interface Ingress {
  readonly metadata: {
    readonly uid: string
    readonly annotations?: Readonly<Record<string, string>>
    readonly ownerReferences?: readonly { readonly kind: string; readonly uid: string }[]
  }
  readonly spec: {
    readonly rules: readonly { readonly http: { readonly paths: readonly { readonly backend: unknown }[] } }[]
  }
}

/** The kyverno engine with the real Kyverno: its controllers, on a real API server, under the rights that the charts give. */
const describeEngine = process.env.OOOI_E2E === 'all' ? describeWithKyverno : describe.skip

describeEngine('the chart with the engine kyverno', () => {
  const plane = useOwnControlPlane({ controllerManager: true })
  const running = useKyverno(plane)
  const helm = helmFor(plane, 'default')
  const apply = (object: object) => plane().kubectl(['apply', '-f', '-'], { input: JSON.stringify(object) })
  const ingress = async (name = 'relay-generated'): Promise<Ingress | undefined> => {
    const path = `/apis/networking.k8s.io/v1/namespaces/tenant/ingresses/${name}`
    const { status, body } = await plane().request<Ingress>(path)
    return status === 200 ? body : undefined
  }
  const backend = async (): Promise<unknown> => (await ingress())?.spec.rules[0]?.http.paths[0]?.backend
  const leadsTo = (name: string) =>
    until(`an Ingress to ${name}`, async () => (JSON.stringify(await backend())?.includes(name) ? true : undefined))
  const told = (text: string) =>
    until(`an event that says "${text}"`, async () => {
      const events = await plane().kubectl(['get', 'events', '-A', '-o', 'jsonpath={.items[*].message}'])
      return events.includes(text) ? true : undefined
    })

  /** Kyverno hears of a new policy, and the API server of new webhooks, a moment later: what was told before is told again. */
  const retold = async (awaited: Promise<unknown>): Promise<void> => {
    const command = ['annotate', '--overwrite', 'virtualingress', 'relay', '-n', 'tenant']
    const touch = () => plane().kubectl([...command, `example.com/again=${Date.now()}`])
    const timer = setInterval(() => void touch().catch(() => {}), 1000)
    await awaited.finally(() => clearInterval(timer))
  }

  beforeAll(async () => {
    await plane().kubectl(['create', 'namespace', 'tenant'])
    await helm('install', 'vi', 'charts/virtual-ingress', '--set', 'engine=kyverno')
    await running.untilAskedAbout('virtualingresses', 'services')
  })

  it('says which labels no Service has, and makes no Ingress', async () => {
    await apply(virtualIngress)
    await retold(told('VirtualIngress tenant/relay: no Service matches app=relay (relay.example.com/)'))
    expect(await ingress()).toBeUndefined()
  })

  it('makes the Ingress when the Service comes, with the annotations of the VirtualIngress', async () => {
    await apply(service('a1111'))
    await leadsTo('a1111')
    const made = await ingress()
    expect(made?.metadata.annotations).toMatchObject({ 'nginx.ingress.kubernetes.io/proxy-read-timeout': '3600' })
    expect(made?.metadata.ownerReferences).toMatchObject([{ kind: 'VirtualIngress' }])
  })

  it('follows the Service to another name, in the same Ingress', async () => {
    const before = await ingress()
    await plane().kubectl(['delete', 'service', 'a1111', '-n', 'tenant'])
    expect(await ingress()).toBeDefined()
    await apply(service('a2222'))
    await leadsTo('a2222')
    expect((await ingress())?.metadata.uid).toBe(before?.metadata.uid)
  })

  it('leaves the Ingress as it is when two match, and says which', async () => {
    await apply(service('a3333'))
    await told('2 Services match app=relay: a2222, a3333 (relay.example.com/)')
    expect(JSON.stringify(await backend())).toContain('a2222')
    await plane().kubectl(['delete', 'service', 'a3333', '-n', 'tenant'])
  })

  it('undoes edits by hand', async () => {
    const patch = [{ op: 'replace', path: '/spec/rules/0/host', value: 'other.example.com' }]
    await plane().kubectl([
      'patch',
      'ingress',
      'relay-generated',
      '-n',
      'tenant',
      '--type=json',
      '-p',
      JSON.stringify(patch),
    ])
    await until('the old host', async () => {
      const made = await ingress()
      return JSON.stringify(made?.spec).includes('relay.example.com') ? true : undefined
    })
  })

  it('keeps the Ingress over an upgrade of the chart', async () => {
    const before = await ingress()
    await helm('upgrade', 'vi', 'charts/virtual-ingress', '--set', 'engine=kyverno,errors.multipleMatches=Newest')
    await apply(service('a4444'))
    await retold(leadsTo('a4444'))
    expect((await ingress())?.metadata.uid).toBe(before?.metadata.uid)
  })

  it('leaves a foreign Ingress of that name alone', async () => {
    await apply({ ...foreignIngress, metadata: { name: 'taken-generated', namespace: 'tenant' } })
    await apply({ ...virtualIngress, metadata: { name: 'taken', namespace: 'tenant' } })
    await told('VirtualIngress')
    expect(JSON.stringify((await ingress('taken-generated'))?.spec)).toContain('foreign')
  })

  it('takes the Ingress away with the VirtualIngress', async () => {
    await plane().kubectl(['delete', 'virtualingress', 'relay', '-n', 'tenant'])
    await until('no Ingress', async () => ((await ingress()) ? undefined : true))
  })
})

const virtualIngress = {
  apiVersion: 'hostedcluster.densityops.com/v1alpha1',
  kind: 'VirtualIngress',
  metadata: {
    name: 'relay',
    namespace: 'tenant',
    annotations: { 'nginx.ingress.kubernetes.io/proxy-read-timeout': '3600' },
  },
  spec: {
    ingressClassName: 'nginx',
    rules: [
      {
        host: 'relay.example.com',
        http: {
          paths: [
            {
              path: '/',
              pathType: 'Prefix',
              backend: { service: { matchLabels: { app: 'relay' }, port: { number: 80 } } },
            },
          ],
        },
      },
    ],
  },
}

const foreignIngress = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  spec: { defaultBackend: { service: { name: 'foreign', port: { number: 80 } } } },
}

function service(name: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'tenant', labels: { app: 'relay' } },
    spec: { ports: [{ port: 80 }] },
  }
}
