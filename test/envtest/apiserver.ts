import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { issueServer } from './certificates.ts'
import { type Component, startComponent } from './component.ts'

export interface ApiServerSettings {
  readonly assets: string
  readonly directory: string
  readonly port: number
  readonly etcdUrl: string
  /** Whether somebody makes the service accounts that pods are given. */
  readonly serviceAccounts: boolean
}

export async function writeServingCertificate(directory: string): Promise<void> {
  const { key, certificate } = await issueServer(directory, ['localhost', 'kubernetes', 'kubernetes.default.svc'])
  await writeFile(join(directory, 'apiserver.key'), key)
  await writeFile(join(directory, 'apiserver.crt'), certificate)
}

export async function startApiServer(settings: ApiServerSettings): Promise<Component> {
  const { assets, directory } = settings
  return startComponent(join(assets, 'kube-apiserver'), flags(settings), join(directory, 'kube-apiserver.log'))
}

function flags({ directory, port, etcdUrl, serviceAccounts }: ApiServerSettings): string[] {
  const file = (name: string) => join(directory, name)
  return [
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${port}`,
    // The Service `kubernetes` may not point to loopback and nobody here calls it.
    '--endpoint-reconciler-type=none',
    `--etcd-servers=${etcdUrl}`,
    `--tls-cert-file=${file('apiserver.crt')}`,
    `--tls-private-key-file=${file('apiserver.key')}`,
    `--client-ca-file=${file('ca.crt')}`,
    '--authorization-mode=Node,RBAC',
    '--allow-privileged',
    '--service-cluster-ip-range=10.96.0.0/16',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${file('sa.pub')}`,
    `--service-account-signing-key-file=${file('sa.key')}`,
    '--profiling=false',
    // By default a server that is told to end waits up to a minute for open watches; with this it closes them.
    '--shutdown-watch-termination-grace-period=1s',
    // Admission is as in a real cluster. Without the controller manager no namespace has its service account `default`,
    // and this one plugin would refuse every pod.
    ...(serviceAccounts ? [] : ['--disable-admission-plugins=ServiceAccount']),
  ]
}
