import type { Neighbourhood } from '../../core/plan/annotated.ts'
import { isOnNetwork, layoutOf, takenBy } from '../../core/plan/neighbours.ts'
import { isControlledBy } from '../../runtime/controller/owner.ts'
import { type KubeObject, keyOf } from '../../runtime/kube/object.ts'
import type { Observer } from '../shared/operator.ts'
import { readInfra } from '../shared/read.ts'

/** What is on the networks that a HostedCluster may ask for. */
export function neighbourhood({ caches }: Pick<Observer, 'caches'>, live: KubeObject): Neighbourhood {
  const read = [...caches.infras.objects.list()].flatMap((object) => {
    const { resource } = readInfra(object)
    return resource ? [{ object, resource }] : []
  })
  // One that somebody else made under that name is in the way itself, not by its addresses.
  const named = read.find(({ object }) => keyOf(object.metadata) === keyOf(live.metadata))
  return {
    current: named && isControlledBy(named.object, live) ? layoutOf(named.resource) : undefined,
    takenOn: (network) =>
      read
        .filter((other) => other !== named && isOnNetwork(other.resource, network))
        .flatMap(({ resource }) => takenBy(resource)),
  }
}
