/**
 * Is one state of an object certainly older than another? Within a kind the versions are growing decimal numbers on
 * every API server that stores in etcd, and by contract since Kubernetes 1.35. Of any other text nothing is known.
 */
export function isOlder(resourceVersion: string | undefined, than: string | undefined): boolean {
  if (!isDecimal(resourceVersion) || !isDecimal(than)) return false
  // Compared as text: a number in JavaScript is exact only up to 2^53.
  if (resourceVersion.length !== than.length) return resourceVersion.length < than.length
  return resourceVersion < than
}

function isDecimal(text: string | undefined): text is string {
  return text !== undefined && /^[1-9]\d*$/.test(text)
}
