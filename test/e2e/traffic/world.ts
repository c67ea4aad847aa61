import { join } from 'node:path'
import { run } from '../../../src/lab/host/command.ts'
import { issueServer } from '../../../src/lab/kubernetes/access/certificates.ts'
import type { Cluster } from '../../../src/lab/kubernetes/cluster.ts'
import { images } from '../../../src/lab/kubernetes/images.ts'
import { restrictedNamespace } from '../../../src/lab/kubernetes/operator.ts'
import { locateHelm } from '../../../tools/helm/helm.ts'
import { backendObjects } from './backend/objects.ts'

/** Where mirrors, VirtualIngress and backends live. */
export const namespace = 'tenant-root'
export const tenantNamespace = 'apps'
export const host = 'relay.example.test'
export const secretName = 'relay-tls'
export const backends = ['blue', 'green'] as const

const chart = join(import.meta.dirname, '..', '..', '..', 'charts', 'virtual-ingress')

/** The chart on the real node, two backends that tell who they are, and the certificate of the host. */
export async function prepare(cluster: Cluster, values: readonly string[] = []): Promise<void> {
  const helm = await locateHelm()
  if (helm === undefined) throw new Error('no Helm in the cache: run "make setup" first')
  await cluster.apply(['virtual-ingress', namespace, tenantNamespace].map(restrictedNamespace))
  await cluster.apply(backends.flatMap((name) => backendObjects(namespace, name)))
  const { key, certificate } = await issueServer(join(cluster.ledger.directory, 'kube'), [host])
  const data = {
    'tls.key': Buffer.from(key).toString('base64'),
    'tls.crt': Buffer.from(certificate).toString('base64'),
  }
  await cluster.apply([
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: secretName, namespace }, type: 'kubernetes.io/tls', data },
  ])
  const [repository = '', tag = ''] = images.oooi.split(/:(?=[^/]*$)/)
  const all = [`image.repository=${repository}`, `image.tag=${tag}`, `watch.namespaces={${namespace}}`, ...values]
  const settings = all.flatMap((value) => ['--set', value])
  const place = ['--namespace', 'virtual-ingress', '--kubeconfig', cluster.kubeconfigPath]
  await run(helm, ['install', 'vi', chart, ...settings, '--wait', '--timeout', '120s', ...place], {
    env: { HOME: cluster.ledger.directory },
  })
  await cluster.waitFor('deployment', 'condition=Available', namespace, 120)
}

/** All requests for the host go to the Service that has the labels. */
export function virtualIngress(labels: Readonly<Record<string, string>>, spec: object): object {
  const backend = { service: { matchLabels: labels, port: { number: 80 } } }
  return {
    apiVersion: 'hostedcluster.densityops.com/v1alpha1',
    kind: 'VirtualIngress',
    metadata: { name: 'relay', namespace },
    spec: { rules: [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }], ...spec },
  }
}
