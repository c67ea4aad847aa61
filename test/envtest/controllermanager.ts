import { join } from 'node:path'
import { type Component, startComponent } from './component.ts'

/** Controllers that have nothing to do where there are no nodes, disks or cloud. */
const idle = [
  'node-ipam-controller',
  'node-lifecycle-controller',
  'node-route-controller',
  'cloud-node-lifecycle-controller',
  'service-lb-controller',
  'taint-eviction-controller',
  'persistentvolume-attach-detach-controller',
  'persistentvolume-binder-controller',
  'persistentvolume-expander-controller',
  'bootstrap-signer-controller',
  'token-cleaner-controller',
]

export async function startControllerManager(
  assets: string,
  directory: string,
  kubeconfigPath: string,
  port: number,
): Promise<Component> {
  const flags = [
    `--kubeconfig=${kubeconfigPath}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--controllers=${['*', ...idle.map((name) => `-${name}`)].join(',')}`,
    // There is one of it, and a lease would let it end itself when a test pauses the API server.
    '--leader-elect=false',
    '--use-service-account-credentials',
    `--service-account-private-key-file=${join(directory, 'sa.key')}`,
    `--root-ca-file=${join(directory, 'ca.crt')}`,
    '--kube-api-qps=500',
    '--kube-api-burst=1000',
  ]
  return startComponent(join(assets, 'kube-controller-manager'), flags, join(directory, 'kube-controller-manager.log'))
}
