import type { KubeObject } from './object.ts'

/** What we want of an object: only the fields that are ours. Never something that was read. */
export type Intent<T extends KubeObject> = KubeObject & DeepPartial<T>

type DeepPartial<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [Key in keyof T]?: DeepPartial<T[Key]> }
    : T

export interface Selection {
  /** One namespace instead of all. */
  readonly namespace?: string | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
}

export interface ListOptions extends Selection {
  readonly pageSize?: number
  readonly signal?: AbortSignal | undefined
}

export interface List<T extends KubeObject> {
  readonly items: readonly T[]
  readonly resourceVersion: string
}

export interface WatchOptions extends Selection {
  readonly resourceVersion: string
  /** After this long the server ends the watch. */
  readonly timeoutSeconds: number
  /** A stream without a byte for this long is cut. API servers send a bookmark about every minute. */
  readonly idleMs: number
  readonly signal?: AbortSignal | undefined
}
