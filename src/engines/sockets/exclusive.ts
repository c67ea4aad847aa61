import { bindTo } from './datagrams.ts'
import { listenOn } from './listening.ts'
import type { Sockets } from './sockets.ts'

/** Bound when they are wanted, and by this process alone. */
export const exclusiveSockets: Sockets = {
  listen: (address, port) => listenOn({ address, port }),
  bind: (address, port, isForAll = false) => bindTo({ address, port, ...(isForAll && { sharing: 'address' }) }),
}
