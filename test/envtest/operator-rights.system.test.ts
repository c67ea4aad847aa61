import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { dhcpRole, dnsRole, proxyRole } from '../../src/core/render/object.ts'
import type { Access } from '../../src/lab/kubernetes/access/access.ts'
import { describeWithControlPlane } from './availability.ts'
import { installForeignKind, installKinds, installMultus } from './installed-kinds.ts'
import { type AnyObject, attachment, condition, infra, is, until, worldOf } from './operator-world.ts'
import { type Rule, rightsOf, rulesOfPods, usedBy } from './rights.ts'
import { managerOf } from './running-operator.ts'
import { installHostedKinds, publishedCluster } from './standins/hosted-kinds.ts'
import { closedControlPlane, hostedCluster, makeControlPlane } from './standins/hypershift.ts'
import { useOwnControlPlane } from './use.ts'
import { path, service, virtualIngress } from './virtualingress-world.ts'

const repository = join(import.meta.dirname, '..', '..')
const ownGroup = 'hostedcluster.densityops.com'

/** Needs a hosted cluster that answers: tried under the same rights in `apps-ingress.system.test.ts`. */
const usedWithHostedClusters = [`patch infraclusterattachments.${ownGroup}`]

/** Asked for by an admission plugin of OpenShift in the name of the manager, which no audit shows. */
const askedByAdmission = ['dhcpservers', 'dnsservers', 'proxyservers', 'virtualingresses'].map(
  (plural) => `update ${plural}/finalizers.${ownGroup}`,
)

describeWithControlPlane('the rights of the manager', () => {
  const installRoutes = (access: Access) =>
    installForeignKind(access, 'gateway.networking.k8s.io/v1', 'HTTPRoute', 'httproutes')
  const prepare = [installKinds, installMultus, installHostedKinds, installRoutes]
  const plane = useOwnControlPlane({ audited: true, prepare })
  const world = () => worldOf(plane())

  test('are all used, none is missing, and it ends when it is told to', async () => {
    const user = await managerOf(plane())
    const lease = await plane().newNamespace('lease')
    const flags = ['--leader-elect', `--namespace=${lease}`, '--kubeconfig', user.kubeconfigPath]
    const ports = ['--metrics-bind-address=0', '--health-probe-bind-address=0']
    const program = join(repository, 'bin', 'oooi')
    const manager = spawn('setpriv', ['--pdeathsig', 'KILL', '--', program, 'manager', ...flags, ...ports], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let log = ''
    manager.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text
    })
    const ended = once(manager, 'exit')
    try {
      await everythingThatHappens()
    } finally {
      manager.kill('SIGTERM')
    }
    const late = setTimeout(() => manager.kill('SIGKILL'), 10_000)
    expect(await ended, log).toEqual([0, null])
    clearTimeout(late)

    const requests = (await plane().audit()).filter((request) => request.user === user.name)
    expect(requests.filter(({ status }) => status === 403)).toEqual([])
    const role: { rules: Rule[] } = parse(await readFile(join(repository, 'config/rbac/role.yaml'), 'utf8'))
    const granted = [dhcpRole, dnsRole, proxyRole].flatMap(rulesOfPods)
    const used = new Set([
      ...requests.flatMap(usedBy),
      ...granted.flatMap(rightsOf),
      ...askedByAdmission,
      ...usedWithHostedClusters,
    ])
    expect(role.rules.flatMap(rightsOf).filter((right) => !used.has(right))).toEqual([])
  })

  async function everythingThatHappens(): Promise<void> {
    const namespace = await plane().newNamespace('tenant')
    const target = await controlPlane()
    const wanted = infra(namespace, 'c1', { proxy: { controlPlaneNamespace: target } })
    await world().apply(attachment(namespace), wanted, dhcpWithVolume(namespace))
    // The same event twice is one that is patched.
    for (const value of [`=${namespace}`, '-', `=${namespace}`]) {
      await world().eventually('infras', namespace, 'c1', is('Accepted', value === '-' ? 'True' : 'False'))
      const annotation = `${ownGroup}/allow-infra-from${value}`
      await plane().kubectl(['annotate', 'namespace', target, '--overwrite', annotation])
    }
    await world().eventually('infras', namespace, 'c1', is('Accepted', 'True'))
    await until('the policy', async () => (await policies(target)).length === 1)
    await world().eventually('deployments', namespace, 'alone')
    for (const name of ['c1-dhcp', 'c1-dns', 'c1-proxy']) await world().eventually('deployments', namespace, name)
    await applications()
    await attachments(namespace)
    await annotated(namespace)
    await strays(namespace)
    await namesakes(namespace)
    const [policy] = await policies(target)

    await world().apply(infra(namespace, 'c1', { proxy: { controlPlaneNamespace: target, enabled: false } }))
    await world().gone('proxyservers', namespace, 'c1-proxy')
    await until('the policy is gone', async () => (await policies(target)).length === 0)
    await world().apply({ ...kindOf('networkpolicies'), metadata: nameOf(policy, target), spec: policy?.spec })
    await world().apply(wanted)
    await world().eventually('infras', namespace, 'c1', is('Accepted', 'False', 'ObjectNotOurs'))
    const { dhcp, dns, proxy } = wanted.spec.infraComponents
    const infraComponents = { dhcp: { ...dhcp, enabled: false }, dns: { ...dns, enabled: false }, proxy }
    await world().apply({ ...wanted, spec: { ...wanted.spec, infraComponents } })
    await world().gone('dhcpservers', namespace, 'c1-dhcp')
    await world().gone('dnsservers', namespace, 'c1-dns')
    await world().remove('infras', namespace, 'c1')
    await world().gone('infras', namespace, 'c1')
    for (const output of ['Ingress', 'HTTPRoute'] as const) await virtualIngresses(namespace, output)
  }

  /** One is made and taken away again; one finds its name taken. */
  async function virtualIngresses(namespace: string, output: 'Ingress' | 'HTTPRoute'): Promise<void> {
    const plural = output === 'Ingress' ? 'ingresses' : 'httproutes'
    const name = output.toLowerCase()
    const spec = {
      output,
      paths: [path('/', name)],
      ...(output === 'Ingress' ? {} : { parentRefs: [{ name: 'gate' }] }),
    }
    await world().apply(virtualIngress(namespace, name, spec))
    await world().eventually('virtualingresses', namespace, name, is('Ready', 'False', 'NoMatchingService'))
    await world().apply(service(namespace, name, { app: name }))
    const { metadata: _, status: _status, ...made } = await world().eventually(plural, namespace, `${name}-generated`)
    const elsewhere = await plane().newNamespace('taken')
    await world().apply({ ...made, metadata: { name: `${name}-generated`, namespace: elsewhere } })
    await world().apply(service(elsewhere, name, { app: name }), virtualIngress(elsewhere, name, spec))
    await world().eventually('virtualingresses', elsewhere, name, is('Programmed', 'False', 'NameConflict'))
    await world().remove('virtualingresses', namespace, name)
    await world().gone(plural, namespace, `${name}-generated`)
  }

  /** The kubeconfig of a hosted cluster is asked for; that there is none is enough here. */
  async function applications(): Promise<void> {
    const namespace = await plane().newNamespace('clusters')
    const hostedClusterRef = { namespace, name: 'hc' }
    const controlPlaneNamespace = await makeControlPlane(plane(), hostedClusterRef, undefined)
    const appsIngress = { enabled: true, metallb: { addressPoolName: 'apps' } }
    await world().apply(
      hostedCluster(namespace, 'hc'),
      infra(namespace, 'apps', { proxy: { controlPlaneNamespace }, spec: { hostedClusterRef, appsIngress } }),
    )
    const isMissed = ({ status }: AnyObject) => status?.appsIngressStatus?.reason === 'KubeconfigMissing'
    await world().eventually('infras', namespace, 'apps', isMissed)
  }

  const policies = async (namespace: string) =>
    (await world().list('networkpolicies', namespace)).filter(({ metadata }) => metadata.name.startsWith('allow-'))

  /** What HostedClusters ask for by annotations comes, is changed and goes; what people wrote under its name stays. */
  async function annotated(namespace: string): Promise<void> {
    const vlan = { network: 'vlan100', cidr: '192.168.200.0/24' }
    const asking = (name: string, annotations: object): AnyObject => {
      const prefixed = Object.entries(annotations).map(([key, value]) => [`${ownGroup}/${key}`, value])
      const cluster = publishedCluster(namespace, name)
      return { ...cluster, metadata: { ...cluster.metadata, annotations: Object.fromEntries(prefixed) } }
    }
    const attachmentOf = (name: string): AnyObject => ({
      apiVersion: `${ownGroup}/v1alpha1`,
      kind: 'InfraClusterAttachment',
      metadata: { name, namespace },
      spec: { infraRef: { name: 'nowhere' }, hostedClusterRef: { name, namespace } },
    })
    await world().apply(infra(namespace, 'taken'), attachmentOf('held'))
    await world().apply(asking('taken', vlan), asking('held', { infra: 'nowhere' }))
    await world().apply(asking('own', vlan), asking('guest', { infra: 'nowhere' }))
    await world().eventually('infras', namespace, 'own')
    await world().eventually('infraclusterattachments', namespace, 'guest')
    await world().apply(asking('own', { ...vlan, gateway: '192.168.200.1' }), asking('guest', { infra: 'elsewhere' }))
    await world().eventually('infras', namespace, 'own', ({ spec }) => spec.networkConfig.gateway !== undefined)
    await world().eventually(
      'infraclusterattachments',
      namespace,
      'guest',
      ({ spec }) => spec.infraRef.name !== 'nowhere',
    )
    await world().apply(asking('own', {}), asking('guest', {}))
    await world().gone('infras', namespace, 'own')
    await world().gone('infraclusterattachments', namespace, 'guest')
  }

  /** One whose Infra is not there: it is said, and nothing else becomes of it. */
  async function attachments(namespace: string): Promise<void> {
    const spec = { infraRef: { name: 'nowhere' }, hostedClusterRef: { name: 'c2', namespace } }
    const kind = { apiVersion: `${ownGroup}/v1alpha1`, kind: 'InfraClusterAttachment' }
    await world().apply({ ...kind, metadata: { name: 'c2', namespace }, spec })
    await world().eventually('infraclusterattachments', namespace, 'c2', is('Accepted', 'False', 'InfraMissing'))
  }

  /** A control plane of another namespace, closed by a policy. */
  async function controlPlane(): Promise<string> {
    const namespace = await plane().newNamespace('control')
    await world().apply(...closedControlPlane(namespace))
    return namespace
  }

  /** What an earlier version made for a component and this one does not: it goes. */
  async function strays(namespace: string): Promise<void> {
    const owner = await world().eventually('dhcpservers', namespace, 'alone')
    const { name, uid } = owner.metadata
    const ownerReferences = [{ apiVersion: `${ownGroup}/v1alpha1`, kind: 'DHCPServer', name, uid, controller: true }]
    for (const [plural, fields] of Object.entries(await copies(namespace))) {
      const metadata = {
        name: 'stray',
        namespace,
        ownerReferences,
        labels: { 'app.kubernetes.io/managed-by': 'oooi' },
      }
      await world().apply({ ...fields, metadata } as AnyObject)
      // Volumes wait for somebody to say that no pod has them; nobody does here.
      await until(`${plural} stray`, async () => {
        const stray = await world().get(plural, namespace, 'stray')
        return stray === undefined || 'deletionTimestamp' in stray.metadata
      })
    }
  }

  /** Objects of somebody else that have the names of ours: they are looked at and left alone. */
  async function namesakes(namespace: string): Promise<void> {
    const elsewhere = await plane().newNamespace('namesakes')
    for (const fields of Object.values(await copies(namespace))) {
      await world().apply({ ...fields, metadata: { name: fields.metadata.name, namespace: elsewhere } })
    }
    await world().apply(attachment(elsewhere), dhcpWithVolume(elsewhere))
    for (const suffix of ['dhcp', 'dns', 'proxy']) {
      const copied = await world().eventually(`${suffix}servers`, namespace, `c1-${suffix}`)
      const metadata = { name: copied.metadata.name, namespace: elsewhere }
      await world().apply({
        apiVersion: copied.apiVersion,
        kind: copied.kind,
        metadata,
        spec: copied.spec,
      } as AnyObject)
    }
    await world().apply(infra(elsewhere))
    const saysSo = (object: AnyObject) =>
      condition(object, 'Accepted')?.message.includes('belongs to somebody else') === true
    await world().eventually('infras', elsewhere, 'c1', saysSo)
    await world().eventually('dhcpservers', elsewhere, 'alone', saysSo)
    await world().eventually('proxyservers', elsewhere, 'c1-proxy', saysSo)
  }

  /** One object of each kind that components are made of, without what the API server added. */
  async function copies(namespace: string): Promise<Record<string, AnyObject>> {
    const names = {
      serviceaccounts: 'alone-dhcp',
      roles: 'alone-dhcp',
      rolebindings: 'alone-dhcp',
      persistentvolumeclaims: 'alone-dhcp-leases',
      deployments: 'alone',
      services: 'c1-proxy',
    }
    const found = Object.entries(names).map(async ([plural, name]) => {
      const { status: _, metadata, ...rest } = await world().eventually(plural, namespace, name)
      const { clusterIP: _ip, clusterIPs: _ips, ...spec } = rest.spec ?? {}
      return [plural, { ...rest, metadata: nameOf({ metadata }, namespace), ...(rest.spec ? { spec } : {}) }] as const
    })
    return Object.fromEntries(await Promise.all(found))
  }
})

function dhcpWithVolume(namespace: string): AnyObject {
  return {
    apiVersion: `${ownGroup}/v1alpha1`,
    kind: 'DHCPServer',
    metadata: { name: 'alone', namespace },
    spec: {
      leaseStorage: 'PersistentVolume',
      networkConfig: {
        cidr: '192.168.200.0/24',
        serverIP: '192.168.200.2',
        gateway: '192.168.200.1',
        networkAttachmentName: 'vlan100',
      },
      leaseConfig: { rangeStart: '192.168.200.100', rangeEnd: '192.168.200.200' },
    },
  }
}

function kindOf(plural: 'services' | 'networkpolicies'): Pick<AnyObject, 'apiVersion' | 'kind'> {
  return plural === 'services'
    ? { apiVersion: 'v1', kind: 'Service' }
    : { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' }
}

function nameOf(object: Pick<AnyObject, 'metadata'> | undefined, namespace: string): AnyObject['metadata'] {
  return { name: object?.metadata.name ?? '', namespace }
}
