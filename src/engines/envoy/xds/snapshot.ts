import { createHash } from 'node:crypto'
import type { JsonObject } from '../../../core/proxy/envoy/json.ts'
import type { EnvoyResources } from '../../../core/proxy/envoy/resources.ts'
import { envoyMessages } from './messages.ts'

/** The three kinds of resources, in the order in which Envoy must learn of new ones. */
export const resourceKinds = ['clusters', 'endpoints', 'listeners'] as const
export type ResourceKind = (typeof resourceKinds)[number]

const messageOf: Record<ResourceKind, string> = {
  clusters: 'envoy.config.cluster.v3.Cluster',
  endpoints: 'envoy.config.endpoint.v3.ClusterLoadAssignment',
  listeners: 'envoy.config.listener.v3.Listener',
}

export function typeUrlOf(kind: ResourceKind): string {
  return `type.googleapis.com/${messageOf[kind]}`
}

export function kindOf(typeUrl: string): ResourceKind | undefined {
  return resourceKinds.find((kind) => typeUrlOf(kind) === typeUrl)
}

export interface Resource {
  readonly name: string
  /** Of the content alone, so that it means the same after a restart. */
  readonly version: string
  readonly bytes: Uint8Array
}

export type ResourceSet = ReadonlyMap<string, Resource>
export type Snapshot = Readonly<Record<ResourceKind, ResourceSet>>

export const emptySnapshot: Snapshot = { clusters: new Map(), endpoints: new Map(), listeners: new Map() }

/** Resources ready to be sent. What did not change is taken from the one before: encoding is most of the work. */
export function snapshotOf(resources: EnvoyResources, previous: Snapshot = emptySnapshot): Snapshot {
  const encode = (kind: ResourceKind): ResourceSet =>
    new Map(
      [...resources[kind]].map(([name, json]) => [name, encodeResource(kind, name, json, previous[kind].get(name))]),
    )
  return { clusters: encode('clusters'), endpoints: encode('endpoints'), listeners: encode('listeners') }
}

function encodeResource(kind: ResourceKind, name: string, json: JsonObject, previous: Resource | undefined): Resource {
  const version = hashOf(JSON.stringify(json))
  if (previous?.version === version) return previous
  return { name, version, bytes: envoyMessages().encodeJson(messageOf[kind], json) }
}

/** One version for a whole set. */
export function versionOf(resources: Iterable<Resource>): string {
  return hashOf([...resources].map(({ name, version }) => `${name}=${version}`).join('\n'))
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
