import { run } from '../../../../src/lab/host/command.ts'
import type { Cluster } from '../../../../src/lab/kubernetes/cluster.ts'
import { startRelay } from '../../../../src/lab/kubernetes/relay/relay.ts'
import { until } from '../../../../src/lab/testing.ts'
import { provideEnvoy } from '../../../../tools/envoy/provide.ts'
import type { EnvoyGateway } from '../../../../tools/envoy-gateway/envoy-gateway.ts'
import { locateHelm } from '../../../../tools/helm/helm.ts'
import { programImage } from '../../../../tools/image/images.ts'
import type { Door } from '../visitor.ts'
import { installClusterDns } from './cluster-dns.ts'

const system = 'envoy-gateway-system'
const images = { gateway: 'oooi.test/envoy-gateway:lab', envoy: 'oooi.test/envoy:lab' }

/** The real Envoy Gateway, installed by its own chart, with the project's Envoy; both run in pods. */
export async function installEnvoyGateway(cluster: Cluster, parts: EnvoyGateway): Promise<void> {
  const helm = await locateHelm()
  if (helm === undefined) throw new Error('no Helm in the cache: run "make setup" first')
  await cluster.importImage(await programImage(images.gateway, parts.binary))
  await cluster.importImage(await programImage(images.envoy, await provideEnvoy(process.env)))
  const values = [
    `global.images.envoyGateway.image=${images.gateway}`,
    'global.images.envoyGateway.pullPolicy=Never',
    `global.images.envoyProxy.image=${images.envoy}`,
    `config.envoyGateway.provider.kubernetes.shutdownManager.image=${images.gateway}`,
    'topologyInjector.enabled=false',
  ]
  const settings = values.flatMap((value) => ['--set', value])
  const place = ['--namespace', system, '--create-namespace', '--kubeconfig', cluster.kubeconfigPath]
  await run(helm, ['install', 'eg', parts.chart, ...settings, '--wait', '--timeout', '180s', ...place], {
    env: { HOME: cluster.ledger.directory },
  })
}

/** A Gateway for one host, and its door. */
export async function openGateway(
  cluster: Cluster,
  gateway: { readonly namespace: string; readonly name: string; readonly host: string; readonly secret: string },
): Promise<Door> {
  const resolver = { dnsPolicy: 'None', dnsConfig: { nameservers: [await installClusterDns(cluster)] } }
  const { namespace, name, host, secret } = gateway
  await cluster.apply([
    {
      apiVersion: 'gateway.envoyproxy.io/v1alpha1',
      kind: 'EnvoyProxy',
      metadata: { name, namespace: system },
      spec: {
        provider: {
          type: 'Kubernetes',
          kubernetes: {
            envoyDeployment: {
              container: { image: images.envoy },
              patch: { type: 'StrategicMerge', value: { spec: { template: { spec: resolver } } } },
            },
            envoyService: { type: 'ClusterIP' },
          },
        },
      },
    },
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'GatewayClass',
      metadata: { name },
      spec: {
        controllerName: 'gateway.envoyproxy.io/gatewayclass-controller',
        parametersRef: { group: 'gateway.envoyproxy.io', kind: 'EnvoyProxy', name, namespace: system },
      },
    },
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'Gateway',
      metadata: { name, namespace },
      spec: {
        gatewayClassName: name,
        listeners: [
          { name: 'http', protocol: 'HTTP', port: 80, hostname: host },
          {
            name: 'https',
            protocol: 'HTTPS',
            port: 443,
            hostname: host,
            tls: { mode: 'Terminate', certificateRefs: [{ kind: 'Secret', name: secret }] },
          },
        ],
      },
    },
  ])
  await cluster.waitFor(`gateway/${name}`, 'condition=Programmed', namespace, 120)
  const owner = `gateway.envoyproxy.io/owning-gateway-name=${name}`
  const address = await until('the Service of the Gateway', () => clusterAddress(cluster, owner).catch(() => undefined))
  await cluster.waitFor('deployment', 'condition=Available', system, 120)
  const [node] = cluster.nodes
  if (!node) throw new Error('the cluster has no node')
  const relay = (port: number): Promise<number> => startRelay(cluster.ledger, node.plan.namespace, address, port)
  return { http: await relay(80), https: await relay(443), ca: cluster.ca }
}

async function clusterAddress(cluster: Cluster, labelSelector: string): Promise<string> {
  const path = `/api/v1/namespaces/${system}/services?${new URLSearchParams({ labelSelector })}`
  const { items } = (await cluster.request<{ items: { spec: { clusterIP: string } }[] }>(path)).body
  const [service] = items
  if (!service) throw new Error(`no Service ${labelSelector} in ${system}`)
  return service.spec.clusterIP
}
