import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { issueServer } from '../../src/lab/kubernetes/access/certificates.ts'
import { apiServerFlags } from '../../src/lab/kubernetes/controlplane/flags.ts'
import { auditFlags, writeAuditPolicy } from './audit.ts'
import { type Component, startComponent } from './component.ts'

export interface ApiServerSettings {
  readonly assets: string
  readonly directory: string
  readonly port: number
  readonly etcdUrl: string
  /** Whether somebody makes the service accounts that pods are given. */
  readonly serviceAccounts: boolean
  /** Whether it notes every request, see `audit.ts`. */
  readonly audited: boolean
}

export async function writeServingCertificate(directory: string, names: readonly string[]): Promise<void> {
  const own = ['localhost', 'kubernetes', 'kubernetes.default.svc']
  const { key, certificate } = await issueServer(directory, [...own, ...names])
  await writeFile(join(directory, 'apiserver.key'), key)
  await writeFile(join(directory, 'apiserver.crt'), certificate)
}

export async function startApiServer(settings: ApiServerSettings): Promise<Component> {
  const { assets, directory, audited } = settings
  if (audited) await writeAuditPolicy(directory)
  return startComponent(join(assets, 'kube-apiserver'), flags(settings), join(directory, 'kube-apiserver.log'))
}

function flags({ directory, port, etcdUrl, serviceAccounts, audited }: ApiServerSettings): string[] {
  return [
    ...apiServerFlags({ files: directory, address: '127.0.0.1', port, etcdUrl, serviceCidr: '10.96.0.0/16' }),
    '--bind-address=127.0.0.1',
    // The Service `kubernetes` may not point to loopback and nobody here calls it.
    '--endpoint-reconciler-type=none',
    ...(audited ? auditFlags(directory) : []),
    // Without the controller manager no namespace has its service account `default`, and this one plugin would refuse
    // every pod.
    ...(serviceAccounts ? [] : ['--disable-admission-plugins=ServiceAccount']),
  ]
}
