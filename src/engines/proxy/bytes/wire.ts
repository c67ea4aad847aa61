/** What the proxy needs of a TCP connection. A socket of Node has all of it; a HandleSocket has no more. */
export interface Wire {
  readonly remoteAddress?: string | undefined
  readonly remotePort?: number | undefined
  readonly bytesRead: number
  /** The peer has said all, and it was read. */
  readonly readableEnded: boolean
  /** Bytes that the kernel has not taken yet. */
  readonly writableLength: number
  readonly destroyed: boolean
  readonly closed: boolean
  /** `onTaken` when the kernel has taken these and all before them. */
  write(bytes: Uint8Array | string, onTaken?: (error?: Error | null) => void): unknown
  /** FIN behind what was written; `onSent` when it is out. */
  end(onSent?: () => void): unknown
  pause(): unknown
  resume(): unknown
  destroy(): unknown
  /** After so much silence in both directions. */
  setTimeout(milliseconds: number, onSilence: () => void): unknown
  on(event: 'connect' | 'end' | 'close', listener: () => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  once(event: 'connect' | 'end' | 'close', listener: () => void): unknown
  off(event: 'connect' | 'end' | 'close', listener: () => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
}
