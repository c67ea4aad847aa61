import type { ProxyServer } from '../../api/proxyserver.ts'
import { shortHash } from '../short-hash.ts'
import type { Binding } from './binding.ts'

/** How the backends of each cluster are called. */
export type Naming = (binding: Binding, backend: string) => string

const apiBackend = 'kube-apiserver'
const longestName = 63

/**
 * One cluster has the plain names (`kube-apiserver`), each further one has that of its attachment before them. Who has
 * the plain ones keeps them as long as it is there, and nobody inherits them: a backend that changes its name is another
 * one to the data plane, and its connections would be cut because a neighbour came or went.
 */
export function namingOf(bindings: readonly Binding[], served: ProxyServer | undefined): Naming {
  const plain = served ? holderOf(bindings, served) : bindings[0]
  return (binding, backend) =>
    binding === plain || binding.name === undefined ? backend : shortened(`${binding.name}-${backend}`)
}

function holderOf(bindings: readonly Binding[], served: ProxyServer): Binding | undefined {
  const namespace = served.spec.backends.find(({ name }) => name === apiBackend)?.targetNamespace
  return bindings.find(({ controlPlaneNamespace }) => controlPlaneNamespace === namespace)
}

/** As long as a name may be; what is cut off is told apart by its hash. */
export function shortened(name: string): string {
  if (name.length <= longestName) return name
  const hash = shortHash(name)
  return `${name.slice(0, longestName - 1 - hash.length)}-${hash}`
}
