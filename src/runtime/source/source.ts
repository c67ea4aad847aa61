import type { Problem } from '../../core/result.ts'

/** What a source tells: a version of the object to serve, or why the newest one cannot be had. */
export type SourceEvent<Resource> =
  | { readonly type: 'object'; readonly object: Resource }
  | { readonly type: 'problems'; readonly problems: readonly Problem[] }

/**
 * Where an object comes from. It yields the current version first and every later one after it; a consumer that is
 * slow sees the newest, not each one in between. Ends when `stop` is called, never by an error.
 */
export interface ResourceSource<Resource> {
  events(): AsyncIterable<SourceEvent<Resource>>
  stop(): void
}
