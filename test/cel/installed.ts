import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll } from 'vitest'
import { type KindName, kinds } from '../../src/api/kinds.ts'
import { apiVersion } from '../../src/api/meta.ts'
import type { Access } from '../../src/lab/kubernetes/access/access.ts'
import { installKinds } from '../envtest/installed-kinds.ts'
import { useSharedControlPlane } from '../envtest/use.ts'

/** What the API server says to an object: yes, or every field it finds at fault. */
export interface Verdict {
  readonly status: number
  readonly accepted: boolean
  /** The object as it would be stored: with defaults, without unknown fields. */
  readonly object: unknown
  /** `field: message` of each cause, and the message that sums them up. */
  readonly complaints: readonly string[]
}

export interface Installed {
  readonly plane: Access
  readonly namespace: string
  /** Creates the object, strictly: unknown fields are refused. By default it is only tried. */
  create(kind: KindName, object: unknown, options?: { readonly keep?: boolean }): Promise<Verdict>
  /** Tries to replace the status of an object that was kept; `object` is what was stored, with another status. */
  putStatus(kind: KindName, object: unknown): Promise<Verdict>
}

/** A control plane that has our kinds, and a namespace of this file. */
export function useInstalledKinds(): () => Installed {
  const plane = useSharedControlPlane({ prepare: [installKinds] })
  let installed: Installed | undefined
  beforeAll(async () => {
    installed = installedOn(plane(), await plane().newNamespace('kinds'))
  })
  return () => installed ?? fail('the kinds are there inside tests only')
}

/** The schema that kubectl explains is published a moment after the kind is served. */
export async function untilExplained(plane: Access): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const { body } = await plane.request(`/openapi/v3/apis/${apiVersion}`)
    const published = JSON.stringify(body)
    if (Object.keys(kinds).every((kind) => published.includes(`"kind":"${kind}"`))) return
    await sleep(50)
  }
  fail('the schemas are not published')
}

function installedOn(plane: Access, namespace: string): Installed {
  const collection = (kind: KindName) => `/apis/${apiVersion}/namespaces/${namespace}/${kinds[kind].plural}`
  return {
    plane,
    namespace,
    async create(kind, object, { keep = false } = {}) {
      const path = `${collection(kind)}?fieldValidation=Strict${keep ? '' : '&dryRun=All'}`
      return verdictOf(await plane.request(path, { method: 'POST', body: inNamespace(object, namespace) }))
    },
    async putStatus(kind, object) {
      const path = `${collection(kind)}/${nameOf(object)}/status?fieldValidation=Strict&dryRun=All`
      return verdictOf(await plane.request(path, { method: 'PUT', body: inNamespace(object, namespace) }))
    },
  }
}

interface Loose {
  readonly [key: string]: unknown
}

function isFields(value: unknown): value is Loose {
  return typeof value === 'object' && value !== null
}

function inNamespace(object: unknown, namespace: string): unknown {
  return isFields(object) && isFields(object.metadata)
    ? { ...object, metadata: { ...object.metadata, namespace } }
    : object
}

function nameOf(object: unknown): string {
  return isFields(object) && isFields(object.metadata) ? String(object.metadata.name) : ''
}

function verdictOf({ status, body }: { status: number; body: unknown }): Verdict {
  const accepted = status < 300
  if (accepted || !isFields(body)) return { status, accepted, object: body, complaints: [] }
  const causes = isFields(body.details) && Array.isArray(body.details.causes) ? body.details.causes : []
  const complaints = causes.map((cause) => (isFields(cause) ? `${cause.field}: ${cause.message}` : ''))
  return { status, accepted, object: undefined, complaints: [...complaints, String(body.message)] }
}

function fail(message: string): never {
  throw new Error(message)
}
