import type { KubeEvent } from '../kube/kinds.ts'
import type { KubeObject } from '../kube/object.ts'
import { microTimestamp } from '../time/timestamp.ts'

/** Something a person looking at the object should know. */
export interface Happening {
  /** The object it is about. */
  readonly regarding: KubeObject
  /** Another object that played a part. */
  readonly related?: KubeObject
  readonly type: 'Normal' | 'Warning'
  /** Why it was done or not done, one word in CamelCase: `PoolExhausted`. */
  readonly reason: string
  /** What was done or tried, one word: `Reconcile`. */
  readonly action: string
  /** A sentence for people. */
  readonly note: string
}

export interface Reporter {
  /** A qualified name: `example.com/controller`. */
  readonly controller: string
  readonly instance: string
}

/** Happenings with the same key are one event that is counted. */
export function happeningKey({ regarding, related, type, reason, action, note }: Happening): string {
  return JSON.stringify([regarding.metadata.uid, related?.metadata.uid, type, reason, action, note])
}

/** `sequence` tells apart what happens to an object in the same microsecond. */
export function newEvent(happening: Happening, reporter: Reporter, atMs: number, sequence: number): KubeEvent {
  const { regarding, related, type, reason, action, note } = happening
  const { name, namespace = 'default' } = regarding.metadata
  const moment = (BigInt(Math.floor(atMs)) * 1_000_000n + BigInt(sequence % 1_000_000)).toString(16)
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: `${name.slice(0, 253 - moment.length - 1)}.${moment}`, namespace },
    eventTime: microTimestamp(atMs),
    reportingController: reporter.controller,
    reportingInstance: reporter.instance.slice(0, 128),
    action: action.slice(0, 128),
    reason: reason.slice(0, 128),
    regarding: reference(regarding),
    ...(related ? { related: reference(related) } : {}),
    type,
    note: cutToBytes(note, 1024),
  }
}

export function seriesOf(count: number, lastMs: number): { count: number; lastObservedTime: string } {
  return { count, lastObservedTime: microTimestamp(lastMs) }
}

function reference({ apiVersion, kind, metadata }: KubeObject): NonNullable<KubeEvent['regarding']> {
  const { name, namespace, uid, resourceVersion } = metadata
  return {
    apiVersion,
    kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  }
}

/** The API counts bytes; a character that would be cut in two is left out. */
function cutToBytes(text: string, longest: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= longest) return text
  let end = longest - 3
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return `${bytes.subarray(0, end).toString()}...`
}
