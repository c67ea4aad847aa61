import type { Infra } from '../../api/infra.ts'
import { type AppsRequest, vlanOf } from '../../core/appsingress/request.ts'
import { appsDomainOf } from '../../core/discover/domains.ts'
import { type HostedClusterRef, resolveHostedCluster } from '../../core/discover/reference.ts'
import type { Informer } from '../../runtime/cache/informer.ts'
import type { Kind } from '../../runtime/kube/kind.ts'
import { type Key, keyOf, parseKey } from '../../runtime/kube/object.ts'
import { infraKind, type OwnObject } from '../shared/kinds.ts'
import type { Operator } from '../shared/operator.ts'
import { readInfra } from '../shared/read.ts'
import type { Located, Meant } from './locate.ts'

type AppsIngress = NonNullable<Infra['spec']['appsIngress']>

/** An object that may ask for the applications of a hosted cluster. */
export interface Subject {
  /** As it is noted on the Service. */
  readonly owner: string
  /** What it asks for; undefined if it does not, or gives the address by hand. */
  readonly apps: AppsIngress | undefined
  readonly meant: Meant
  readonly infra: Infra
}

/** Infras and attachments ask in the same way. */
export interface SubjectKind {
  readonly kind: Kind<OwnObject>
  readonly informer: Informer<OwnObject>
  /** Undefined if its fields are not what they should be: then nothing is changed. */
  read(live: OwnObject): Subject | undefined
}

export function infraSubjects({ caches }: Operator): SubjectKind {
  return {
    kind: infraKind,
    informer: caches.infras,
    read(live) {
      const { resource: infra } = readInfra(live)
      if (!infra) return undefined
      const { controlPlaneNamespace, apiServerService } = infra.spec.infraComponents.proxy ?? {}
      const { ownerReferences } = live.metadata
      const ref = resolveHostedCluster({
        metadata: { namespace: live.metadata.namespace, ...(ownerReferences ? { ownerReferences } : {}) },
        spec: infra.spec,
      })
      return {
        owner: ownerOf(infraKind, live),
        apps: asked(infra.spec.appsIngress),
        meant: meantBy(live, { ref, controlPlaneNamespace, apiServerService }),
        infra,
      }
    },
  }
}

/** Whose the Service is, in the words of its annotation. */
export function ownerOf({ kind }: Kind, { metadata }: OwnObject): string {
  return `${kind} ${keyOf(metadata)}`
}

/** The cluster that has the Service, which may be another one than the object means by now. */
export function meantBefore(live: OwnObject, subject: Subject | undefined, hostedCluster: Key | undefined): Meant {
  const isSame = hostedCluster === undefined || (subject?.meant.ref && keyOf(subject.meant.ref) === hostedCluster)
  if (subject && isSame) return subject.meant
  const { name, namespace = '' } = parseKey(hostedCluster ?? '')
  return meantBy(live, { ref: name === '' ? undefined : { name, namespace } })
}

export function requestOf(
  { owner, infra }: Subject,
  apps: AppsIngress,
  located: Located,
  operator: Operator,
): AppsRequest {
  return {
    owner,
    spec: apps,
    domain: servedDomain(apps, located),
    vlan: vlanOf(infra, operator.settings.targetCidrs),
  }
}

/** One that is given by hand is not asked for. */
function asked(apps: AppsIngress | undefined): AppsIngress | undefined {
  return apps?.enabled && apps.address === undefined ? apps : undefined
}

interface Fields {
  readonly ref: HostedClusterRef | undefined
  readonly controlPlaneNamespace?: string | undefined
  readonly apiServerService?: string | undefined
}

function meantBy({ metadata }: OwnObject, { apiServerService = 'kube-apiserver', ...fields }: Fields): Meant {
  return { from: metadata.namespace ?? '', apiServerService, ...fields }
}

/** Under which domain the names are served here, to be compared with what the router there serves. */
function servedDomain({ baseDomain }: AppsIngress, { hostedCluster }: Located): string | undefined {
  const given = baseDomain?.toLowerCase().replace(/\.$/, '')
  if (given === undefined) return appsDomainOf(hostedCluster)
  return given.startsWith('apps.')
    ? given
    : appsDomainOf({ ...hostedCluster, appsDomain: undefined, ingressDomain: undefined, baseDomain: given })
}
