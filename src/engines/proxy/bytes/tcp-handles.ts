import { innerPart } from '../../../runtime/host/inner-part.ts'

/** What Node's own sockets are made of. It does not promise to keep it. */
export interface TcpHandle {
  /** Called for each read; gives the buffer of the next one, if that is another. */
  onread: () => Uint8Array | undefined
  readStart(): number
  readStop(): number
  /** Nobody but the caller keeps the buffer from the garbage collector. */
  useUserBuffer(buffer: Uint8Array): void
  writeBuffer(request: HandleRequest, bytes: Uint8Array): number
  shutdown(request: HandleRequest): number
  connect(request: HandleRequest, address: string, port: number): number
  connect6(request: HandleRequest, address: string, port: number): number
  getpeername(out: { address?: string; port?: number }): number
  setNoDelay(isOn: boolean): number
  setKeepAlive(isOn: boolean, afterSeconds: number): number
  close(onClosed: () => void): void
}

export interface HandleRequest {
  /** Kept from the garbage collector while the kernel may still read from it. */
  buffer?: Uint8Array
  oncomplete: (status: number) => void
}

type RequestClass = new () => HandleRequest

/** Everything for connections without sockets of Node. */
export interface TcpHandles {
  readonly Tcp: new (kind: number) => TcpHandle
  readonly ConnectRequest: RequestClass
  readonly WriteRequest: RequestClass
  readonly ShutdownRequest: RequestClass
  /** Shared by all: what the last read and the last write came to. */
  readonly state: Int32Array
  readonly readAt: number
  readonly isPendingAt: number
}

/** Undefined where a version of Node has no such things, or has them otherwise. */
export function findTcpHandles(): TcpHandles | undefined {
  return handlesIn({ ...innerPart('tcp_wrap'), ...innerPart('stream_wrap') })
}

function handlesIn(parts: Readonly<Record<string, unknown>>): TcpHandles | undefined {
  const { TCP, TCPConnectWrap, WriteWrap, ShutdownWrap, streamBaseState: state } = parts
  const { kReadBytesOrError: readAt, kLastWriteWasAsync: isPendingAt } = parts
  const areIndexes = typeof readAt === 'number' && typeof isPendingAt === 'number'
  if (!isTcpClass(TCP) || !isClass(TCPConnectWrap) || !isClass(WriteWrap) || !isClass(ShutdownWrap)) return undefined
  if (!(state instanceof Int32Array) || !areIndexes) return undefined
  return {
    Tcp: TCP,
    ConnectRequest: TCPConnectWrap,
    WriteRequest: WriteWrap,
    ShutdownRequest: ShutdownWrap,
    state,
    readAt,
    isPendingAt,
  }
}

function isClass(value: unknown): value is RequestClass {
  return typeof value === 'function'
}

const used = ['readStart', 'readStop', 'useUserBuffer', 'writeBuffer', 'shutdown', 'connect', 'connect6', 'getpeername']

function isTcpClass(value: unknown): value is TcpHandles['Tcp'] {
  return typeof value === 'function' && used.every((name) => typeof Reflect.get(value.prototype, name) === 'function')
}
