/** Numbers that hold for every proxy, with the reason for each. Both engines agree where both have the thing. */

/** Half of Envoy's default: bulk runs as fast, and a stalled stream holds less. */
export const bufferBytes = 256 * 1024

/** For the whole ClientHello. */
export const helloTimeoutMs = 5000

/** Watches and tunnels may be silent for hours. */
export const idleTimeoutMs = 24 * 3600 * 1000

/** One attempt to reach one target; the time of the backend bounds all of them together. */
export const attemptTimeoutMs = 5000

/** Dead machines are found after idle + probes * interval, and NAT on the way is kept from forgetting. */
export const keepAlive = { idleSeconds: 45, intervalSeconds: 10, probes: 3 }

/** How long sent bytes may stay unacknowledged before the peer counts as gone. */
export const unacknowledgedMs = 90_000

/** Envoy's own default of 1024 would refuse the 1025th connection of a backend without a word. */
export const unlimitedConnections = 1_000_000

/** A target that cannot be reached is asked last for so long; never longer, so that a restarted one is found again. */
export const ejection = { failures: 1, durationMs: 10_000 }

/** How often Envoy tells oooi of a connection that is open, so that an oooi that was restarted hears of it too. */
export const reportIntervalMs = 60_000

/**
 * How long Envoy keeps connections whose chain was changed or removed. It cannot drain plain TCP, it only cuts at the
 * end of this time; a day is longer than what an edit may cost a tunnel. Each update keeps some kilobytes per chain.
 */
export const drainSeconds = 86_400
