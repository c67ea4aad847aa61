/** The two forms of time in Kubernetes objects. */

/** `metav1.Time`: whole seconds, as the API server stores it; anything finer would differ from what is read back. */
export function secondsTimestamp(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`
}

/** `metav1.MicroTime`: exactly six fractional digits; three, as toISOString gives, are refused with HTTP 400. */
export function microTimestamp(epochMs: number): string {
  const microseconds = Math.floor((epochMs - Math.floor(epochMs)) * 1000)
  return `${new Date(Math.floor(epochMs)).toISOString().slice(0, 23)}${String(microseconds).padStart(3, '0')}Z`
}
