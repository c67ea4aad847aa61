import { type Call, decodeJson, decodeObject, isFields, malformed, statusError } from './answer.ts'
import type { Kind } from './kind.ts'
import { LineCutter } from './lines.ts'
import type { KubeObject } from './object.ts'

/** What a watch tells. A bookmark says only how far the server has come, so that a new watch need not start over. */
export type WatchEvent<T extends KubeObject> =
  | { readonly type: 'added' | 'modified' | 'deleted'; readonly object: T }
  | { readonly type: 'bookmark'; readonly resourceVersion: string }

const longestEventBytes = 16 * 2 ** 20

/**
 * The events of a watch stream, in order. An ERROR event (410 comes so, with status 200 on the connection) and any
 * line that is not an event end it with an ApiError.
 */
export async function* watchEvents<T extends KubeObject>(
  call: Call,
  kind: Kind<T>,
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const cutter = new LineCutter(longestEventBytes)
  for await (const chunk of chunks) {
    const lines = cutter.push(chunk)
    if (!lines) throw malformed(call, 200, cutter.rest(), `an event is longer than ${longestEventBytes} bytes`)
    for (const line of lines) if (line !== '') yield decodeEvent(call, kind, line)
  }
  const rest = cutter.rest()
  if (rest !== '') throw malformed(call, 200, rest, 'the stream ended in the middle of an event')
}

export function decodeEvent<T extends KubeObject>(call: Call, kind: Kind<T>, line: string): WatchEvent<T> {
  const { type, object } = decodeJson(call, 200, line)
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type: eventTypes[type], object: decodeObject(call, kind, object, line) }
    case 'BOOKMARK': {
      const metadata = isFields(object) && isFields(object.metadata) ? object.metadata : {}
      if (typeof metadata.resourceVersion === 'string') {
        return { type: 'bookmark', resourceVersion: metadata.resourceVersion }
      }
      throw malformed(call, 200, line, 'a bookmark without resourceVersion')
    }
    case 'ERROR':
      throw statusError(call, 200, isFields(object) ? object : {})
    default:
      throw malformed(call, 200, line, 'not a watch event')
  }
}

const eventTypes = { ADDED: 'added', MODIFIED: 'modified', DELETED: 'deleted' } as const
