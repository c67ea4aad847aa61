import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Access } from '../access/access.ts'
import { provisionerName, storageClassName } from '../objects.ts'

interface Claim {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly uid: string }
  readonly spec: {
    readonly storageClassName?: string
    readonly volumeName?: string
    readonly accessModes?: readonly string[]
    readonly resources?: { readonly requests?: { readonly storage?: string } }
  }
}

interface Volume {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> }
  readonly status?: { readonly phase?: string }
}

const everyMs = 500
const annotation = 'pv.kubernetes.io/provisioned-by'

/**
 * Gives every claim of the lab's storage class a directory that all nodes see, as network storage would, and takes it
 * away when the claim is gone. It polls and keeps no state.
 */
export function startProvisioner(access: Access, directory: string, stop: AbortSignal): void {
  const rounds = async (): Promise<void> => {
    while (!stop.aborted) {
      // The API server may be stopped on purpose; the next round finds it again.
      await provision(access, directory).catch(() => {})
      await sleep(everyMs, undefined, { signal: stop, ref: false }).catch(() => {})
    }
  }
  void rounds()
}

async function provision(access: Access, directory: string): Promise<void> {
  const claims = await access.request<{ items: Claim[] }>('/api/v1/persistentvolumeclaims')
  for (const claim of claims.body.items) {
    if (claim.spec.storageClassName !== storageClassName || claim.spec.volumeName) continue
    const body = volumeFor(claim)
    const path = join(directory, body.metadata.name)
    if (!existsSync(path)) mkdirSync(path)
    // Who writes there is the pod's affair; a file system with fsGroup would see to it.
    chmodSync(path, 0o777)
    await access.request('/api/v1/persistentvolumes', { method: 'POST', body })
  }
  const volumes = await access.request<{ items: Volume[] }>('/api/v1/persistentvolumes')
  for (const { metadata, status } of volumes.body.items) {
    if (metadata.annotations?.[annotation] !== provisionerName || status?.phase !== 'Released') continue
    rmSync(join(directory, metadata.name), { recursive: true, force: true })
    await access.request(`/api/v1/persistentvolumes/${metadata.name}`, { method: 'DELETE' })
  }
}

function volumeFor({ metadata, spec }: Claim) {
  const name = `pvc-${metadata.uid}`
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, annotations: { [annotation]: provisionerName } },
    spec: {
      storageClassName,
      accessModes: spec.accessModes ?? ['ReadWriteOnce'],
      capacity: { storage: spec.resources?.requests?.storage ?? '1Gi' },
      persistentVolumeReclaimPolicy: 'Retain',
      hostPath: { path: `/run/volumes/${name}`, type: 'Directory' },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', ...metadata },
    },
  }
}
