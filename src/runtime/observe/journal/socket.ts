import { fstatSync, readFileSync, writeSync } from 'node:fs'

/** Sends one datagram, or throws what the kernel says. */
export type SendDatagram = (bytes: Uint8Array) => void

/** Makes writes to the descriptor fail where they would wait. */
export type Unblock = (fd: number) => void

const nonBlocking = 0o4000

/**
 * The descriptor as a way to send datagrams that never makes anybody wait; undefined if it is no socket, or would wait.
 * Node has no datagrams of Unix sockets, but to a connected one a write is a datagram. systemd opens it so that a write waits
 * until the journal has room: a journal that hangs would be the end of DHCP, DNS and proxy.
 */
export function datagramSocket(fd: number, unblock: Unblock): SendDatagram | undefined {
  try {
    if (!fstatSync(fd).isSocket()) return undefined
    unblock(fd)
    if (!isNonBlocking(fd)) return undefined
  } catch {
    return undefined
  }
  return (bytes) => void writeSync(fd, bytes)
}

function isNonBlocking(fd: number): boolean {
  const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0'
  return (Number.parseInt(flags, 8) & nonBlocking) !== 0
}
