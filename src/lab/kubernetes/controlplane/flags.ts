import { join } from 'node:path'
import type { ClusterPlan } from '../plan.ts'

/** How the components of a control plane are started: what every one needs, and what this one with nodes adds. */

/** The data is thrown away with its owner; waiting for the disk would be most of the time of a write. */
export function etcdFlags(data: string, clientUrl: string, peerUrl: string): string[] {
  return [
    `--data-dir=${data}`,
    `--listen-client-urls=${clientUrl}`,
    `--advertise-client-urls=${clientUrl}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
    '--unsafe-no-fsync',
    '--log-level=warn',
  ]
}

export interface ApiServerBasics {
  /** Certificates and keys, by the names under which `access/certificates.ts` writes them. */
  readonly files: string
  readonly address: string
  readonly port: number
  readonly etcdUrl: string
  readonly serviceCidr: string
}

/** Admission and authorization are as in a real cluster. */
export function apiServerFlags({ files, address, port, etcdUrl, serviceCidr }: ApiServerBasics): string[] {
  const file = (name: string): string => join(files, name)
  return [
    `--advertise-address=${address}`,
    `--secure-port=${port}`,
    `--etcd-servers=${etcdUrl}`,
    `--tls-cert-file=${file('apiserver.crt')}`,
    `--tls-private-key-file=${file('apiserver.key')}`,
    `--client-ca-file=${file('ca.crt')}`,
    '--authorization-mode=Node,RBAC',
    '--allow-privileged',
    `--service-cluster-ip-range=${serviceCidr}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${file('sa.pub')}`,
    `--service-account-signing-key-file=${file('sa.key')}`,
    '--profiling=false',
    // By default a server that is told to end waits up to a minute for open watches; with this it closes them.
    '--shutdown-watch-termination-grace-period=1s',
  ]
}

/** It stands alone in a namespace, so ports are the usual ones. */
export const etcdUrls = { client: 'http://127.0.0.1:2379', peer: 'http://127.0.0.1:2380' } as const

export function clusterApiServerFlags({ controlPlane, serviceCidr }: ClusterPlan, files: string): string[] {
  const { address, port } = controlPlane
  return [
    ...apiServerFlags({ files, address, port, etcdUrl: etcdUrls.client, serviceCidr }),
    '--enable-admission-plugins=NodeRestriction',
    `--kubelet-client-certificate=${join(files, 'kubelet-client.crt')}`,
    `--kubelet-client-key=${join(files, 'kubelet-client.key')}`,
    // Nobody resolves the names of the nodes.
    '--kubelet-preferred-address-types=InternalIP',
  ]
}

/** A lost node is noticed within seconds. */
export const controllerManagerFlags = (files: string): string[] => [
  `--kubeconfig=${join(files, 'kube-controller-manager.kubeconfig')}`,
  '--controllers=*,-node-ipam-controller,-node-route-controller,-cloud-node-lifecycle-controller,-service-lb-controller',
  '--leader-elect=false',
  '--use-service-account-credentials',
  `--service-account-private-key-file=${join(files, 'sa.key')}`,
  `--root-ca-file=${join(files, 'ca.crt')}`,
  '--node-monitor-grace-period=10s',
  '--node-monitor-period=1s',
]

export const schedulerFlags = (files: string): string[] => [
  `--kubeconfig=${join(files, 'kube-scheduler.kubeconfig')}`,
  '--leader-elect=false',
]
