import type { Refusal } from '../../core/proxy/choose.ts'
import type { Wire } from './bytes/wire.ts'
import type { Protocol, SniffFault } from './hello/sniff.ts'

/** Why a connection was not relayed. */
export type RejectReason =
  | SniffFault
  | Refusal
  | 'connection_limit'
  | 'backend_limit'
  | 'backend_unreachable'
  | 'no_target'

/** AlertDescription (RFC 8446 section 6). Not for those who do not speak TLS, or have not begun to. */
const alertOf: Partial<Record<RejectReason, number>> = {
  malformed: 50, // decode_error
  too_large: 50,
  no_sni: 40, // handshake_failure
  unknown_sni: 112, // unrecognized_name
  source_denied: 49, // access_denied
  backend_limit: 80, // internal_error: ours, not the client's
  backend_unreachable: 80,
  no_target: 80,
}

/** The same for those who speak plain HTTP. */
const httpAnswerOf: Partial<Record<RejectReason, string>> = {
  malformed: '400 Bad Request',
  too_large: '431 Request Header Fields Too Large',
  no_sni: '404 Not Found',
  unknown_sni: '404 Not Found',
  source_denied: '403 Forbidden',
  backend_limit: '503 Service Unavailable',
  backend_unreachable: '503 Service Unavailable',
  no_target: '503 Service Unavailable',
}

/** What a raw client would understand is not known. */
const wordsFor: Record<Protocol, (reason: RejectReason) => Uint8Array | string | undefined> = {
  tls: alertFor,
  http: httpAnswerFor,
  raw: () => undefined,
}

const alertRecord = 21
const fatal = 2

/** Says no in a way that the client can show its user, then closes. */
export function farewell(client: Wire, protocol: Protocol, reason: RejectReason, lingerMs: number): void {
  const words = wordsFor[protocol](reason)
  if (words === undefined) client.destroy()
  else {
    client.write(words)
    closeSoon(client, lingerMs)
  }
}

function alertFor(reason: RejectReason): Uint8Array | undefined {
  const alert = alertOf[reason]
  return alert === undefined ? undefined : Uint8Array.of(alertRecord, 3, 3, 0, 2, fatal, alert)
}

function httpAnswerFor(reason: RejectReason): string | undefined {
  const answer = httpAnswerOf[reason]
  return answer && `HTTP/1.1 ${answer}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`
}

/**
 * Sends what is still to be sent, then FIN, and reads on for a while: closing with unread bytes makes the kernel send
 * RST, which may overtake the last words. A peer that takes nothing for `lingerMs` is not waited for.
 */
export function closeSoon(socket: Wire, lingerMs: number): void {
  if (socket.destroyed) return
  socket.setTimeout(lingerMs, () => socket.destroy())
  socket.end(() => {
    const timer = setTimeout(() => socket.destroy(), lingerMs)
    socket.once('close', () => clearTimeout(timer))
  })
  socket.resume()
}
