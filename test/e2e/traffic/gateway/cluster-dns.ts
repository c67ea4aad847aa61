import type { Cluster } from '../../../../src/lab/kubernetes/cluster.ts'
import { findCoredns } from '../../../../tools/coredns/coredns.ts'
import { corednsImage } from '../../../../tools/image/images.ts'

const namespace = 'cluster-dns'
const image = 'oooi.test/coredns:cluster-dns'
const labels = { app: 'cluster-dns' }

/** The lab's nodes have no cluster DNS, and Envoy finds its manager by name: CoreDNS as clusters have it. Gives its address. */
export async function installClusterDns(cluster: Cluster): Promise<string> {
  await cluster.importImage(await corednsImage(image, await findCoredns(process.env)))
  const named = { name: 'coredns', namespace }
  const rule = (apiGroup: string, resources: string[]) => ({
    apiGroups: [apiGroup],
    resources,
    verbs: ['list', 'watch'],
  })
  const data = { Corefile: '.:1053 {\n  kubernetes cluster.local\n}\n' }
  const container = {
    name: 'coredns',
    image,
    args: ['-conf', '/config/Corefile'],
    volumeMounts: [{ name: 'config', mountPath: '/config' }],
  }
  const spec = {
    serviceAccountName: 'coredns',
    containers: [container],
    volumes: [{ name: 'config', configMap: { name: 'coredns' } }],
  }
  await cluster.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: named },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: named, data },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'coredns' },
      rules: [rule('', ['services', 'namespaces']), rule('discovery.k8s.io', ['endpointslices'])],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'coredns' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'coredns' },
      subjects: [{ kind: 'ServiceAccount', ...named }],
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: named,
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: named,
      spec: {
        selector: labels,
        ports: ['UDP', 'TCP'].map((protocol) => ({
          name: protocol.toLowerCase(),
          protocol,
          port: 53,
          targetPort: 1053,
        })),
      },
    },
  ])
  await cluster.waitFor('deployment/coredns', 'condition=Available', namespace)
  const path = `/api/v1/namespaces/${namespace}/services/coredns`
  return (await cluster.request<{ spec: { clusterIP: string } }>(path)).body.spec.clusterIP
}
