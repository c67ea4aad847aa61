import type { Socket } from 'node:dgram'
import { innerPart } from '../../runtime/host/inner-part.ts'

/** `kept`: the kernel has no room yet. The datagram waits in the socket, and its bytes must stay as they are. */
export type SendOutcome = 'sent' | 'kept' | 'failed'

/** Sends on one UDP socket. */
export interface QuickSend {
  to(bytes: Uint8Array, port: number, address: string): SendOutcome
  /** To the one that the socket is connected with. Where 'failed' is not known at once, the socket gets an 'error'. */
  back(bytes: Uint8Array): SendOutcome
}

/** What Node's own UDP sockets are made of. It does not promise to keep it. */
interface UdpHandle {
  /** More than 0: sent. 0: waits, and the request is used until it is sent. Less: the system's error. */
  send(request: Request, pieces: Uint8Array[], count: number, hasCallback: boolean): number
  send(
    request: Request,
    pieces: Uint8Array[],
    count: number,
    port: number,
    address: string,
    hasCallback: boolean,
  ): number
}

interface Request {
  /** Kept from the garbage collector while the kernel may still read from it. */
  bytes?: Uint8Array
}

type RequestClass = new () => Request

/**
 * Sends by the inner handle of a socket that is bound, and whose `lookup` answers at once. Of what Node's `send` makes for
 * each datagram (a request, a list, two closures, a turn for the callback) nothing is needed for one that leaves within the
 * call, as nearly all do. Where a version of Node has no such handle, the documented way is taken, and only the price is
 * another.
 */
export function quickSend(socket: Socket, isPlain = false): QuickSend {
  const RequestOf = isPlain ? undefined : findRequestClass()
  const handle = handleOf(socket)
  return RequestOf && handle ? new HandleSend(handle, RequestOf) : new PlainSend(socket)
}

/** That the Node of the project has what it takes. */
export function isQuick(sending: QuickSend): boolean {
  return sending instanceof HandleSend
}

class HandleSend implements QuickSend {
  readonly #handle: UdpHandle
  readonly #Request: RequestClass
  readonly #pieces: Uint8Array[] = []
  #request: Request

  constructor(handle: UdpHandle, RequestOf: RequestClass) {
    this.#handle = handle
    this.#Request = RequestOf
    this.#request = new RequestOf()
  }

  to(bytes: Uint8Array, port: number, address: string): SendOutcome {
    this.#pieces[0] = bytes
    return this.#outcome(this.#handle.send(this.#request, this.#pieces, 1, port, address, false), bytes)
  }

  back(bytes: Uint8Array): SendOutcome {
    this.#pieces[0] = bytes
    return this.#outcome(this.#handle.send(this.#request, this.#pieces, 1, false), bytes)
  }

  #outcome(status: number, bytes: Uint8Array): SendOutcome {
    if (status !== 0) return status > 0 ? 'sent' : 'failed'
    this.#request.bytes = bytes
    this.#request = new this.#Request()
    return 'kept'
  }
}

class PlainSend implements QuickSend {
  readonly #socket: Socket

  constructor(socket: Socket) {
    this.#socket = socket
  }

  to(bytes: Uint8Array, port: number, address: string): SendOutcome {
    this.#socket.send(bytes, port, address)
    return this.#outcome()
  }

  back(bytes: Uint8Array): SendOutcome {
    this.#socket.send(bytes, this.#done)
    return this.#outcome()
  }

  readonly #done = (error: Error | null): void => {
    if (error) this.#socket.emit('error', error)
  }

  #outcome(): SendOutcome {
    return this.#socket.getSendQueueCount() > 0 ? 'kept' : 'sent'
  }
}

function handleOf(socket: Socket): UdpHandle | undefined {
  const symbol = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'state symbol')
  const state: unknown = symbol && Reflect.get(socket, symbol)
  const handle: unknown = isObject(state) ? Reflect.get(state, 'handle') : undefined
  return isUdpHandle(handle) ? handle : undefined
}

function findRequestClass(): RequestClass | undefined {
  const request = innerPart('udp_wrap')?.SendWrap
  return isClass(request) ? request : undefined
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isUdpHandle(value: unknown): value is UdpHandle {
  return isObject(value) && typeof Reflect.get(value, 'send') === 'function'
}

function isClass(value: unknown): value is RequestClass {
  return typeof value === 'function'
}
