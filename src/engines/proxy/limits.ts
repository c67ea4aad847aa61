/** Bounds that keep the proxy alive whatever its clients do. Nothing here is part of the API; tests make them small. */
export interface ProxyLimits {
  /** Connections at a time. Each that is relayed needs two file descriptors. */
  readonly maxConnections: number
  /** Of these from one address, so that one machine cannot use up the proxy. */
  readonly maxConnectionsPerSource: number
  /** Connections whose ClientHello is still awaited; beyond it the one that has waited longest is closed. */
  readonly maxSniffing: number
  readonly maxSniffingPerSource: number
  /** For the whole ClientHello, not for each read: a byte now and then does not buy time. */
  readonly sniffTimeoutMs: number
  /** For one attempt to reach a target; the backend's own time-out bounds all of them together. */
  readonly connectAttemptMs: number
  /** Watches and tunnels may be silent for hours. */
  readonly idleTimeoutMs: number
  /** How long a peer may take to read the last bytes before a closed connection is forgotten. */
  readonly lingerMs: number
  /** Silence after which TCP asks whether the peer is still there; a dead machine is found about ten seconds later. */
  readonly keepAliveAfterMs: number
}

export const defaultLimits: ProxyLimits = {
  maxConnections: 16_384,
  maxConnectionsPerSource: 4096,
  maxSniffing: 1024,
  maxSniffingPerSource: 128,
  sniffTimeoutMs: 5000,
  connectAttemptMs: 5000,
  idleTimeoutMs: 24 * 3600 * 1000,
  lingerMs: 2000,
  keepAliveAfterMs: 45_000,
}
