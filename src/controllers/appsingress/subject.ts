import type { Infra } from '../../api/infra.ts'
import { type AppsRequest, vlanOf } from '../../core/appsingress/request.ts'
import { serviceRef } from '../../core/appsingress/service.ts'
import type { Place } from '../../core/appsingress/status.ts'
import { appsDomainOf, clusterDomainOf } from '../../core/discover/domains.ts'
import { type Claim, claimsOnVlan } from '../../core/plan/claims.ts'
import { appsDomain, domainOf } from '../../core/translate/binding.ts'
import type { Informer } from '../../runtime/cache/informer.ts'
import { isBeingDeleted } from '../../runtime/controller/finalizer.ts'
import type { Kind } from '../../runtime/kube/kind.ts'
import { type Key, keyOf, parseKey } from '../../runtime/kube/object.ts'
import { clusterAttachmentKind, infraKind, type OwnObject } from '../shared/kinds.ts'
import type { Operator } from '../shared/operator.ts'
import { claimsOf, infraOfAttachment, readInfra } from '../shared/read.ts'
import { onSpecChange } from '../shared/spec-change.ts'
import type { Located, Meant } from './locate.ts'

type AppsIngress = NonNullable<Infra['spec']['appsIngress']>

/** An object that may ask for the applications of a hosted cluster. */
export interface Subject {
  /** As it is noted on the Service. */
  readonly owner: string
  /** What it asks for; undefined if it does not, or gives the address by hand. */
  readonly apps: AppsIngress | undefined
  readonly meant: Meant
  readonly claim: Claim
  readonly infra: Infra
  /** Whose Service it takes over as it is, so that the address stays when the single form becomes an attachment. */
  readonly predecessor?: string | undefined
  /** Those who will take over its own. */
  readonly heirs: readonly Claim[]
}

/** Infras and attachments ask in the same way. */
export interface SubjectKind {
  readonly kind: Kind<OwnObject>
  readonly informer: Informer<OwnObject>
  /** Undefined if its fields are not what they should be, or the VLAN is not known: then nothing is changed. */
  read(live: OwnObject): Subject | undefined
  /** Calls for the objects that another one decides about. */
  watchOthers(trigger: (key: Key) => void): void
}

/** The Infra's own fields do not count while clusters are attached to it, unless it was made for one that is not. */
export function infraSubjects({ caches }: Operator): SubjectKind {
  return {
    kind: infraKind,
    informer: caches.infras,
    read(live) {
      const attached = caches.clusterAttachments.objects.byIndex('byInfra', keyOf(live.metadata))
      const subject = subjectOf(infraKind, live, readInfra(live).resource)
      if (!subject || attached.length === 0) return subject
      if (claimsOnVlan(subject.claim, attached.flatMap(claimsOf)).includes(subject.claim)) return subject
      return { ...subject, apps: undefined, heirs: attached.filter((one) => !isBeingDeleted(one)).flatMap(claimsOf) }
    },
    watchOthers: (trigger) =>
      onSpecChange(caches.clusterAttachments, (object) => {
        for (const key of infraOfAttachment(object)) trigger(key)
      }),
  }
}

export function attachmentSubjects({ caches }: Operator): SubjectKind {
  const infraOf = (live: OwnObject): Infra | undefined => {
    const [key = ''] = infraOfAttachment(live)
    const infra = caches.infras.objects.get(key)
    return infra && readInfra(infra).resource
  }
  return {
    kind: clusterAttachmentKind,
    informer: caches.clusterAttachments,
    read(live) {
      const subject = subjectOf(clusterAttachmentKind, live, infraOf(live))
      const [infra] = infraOfAttachment(live)
      return subject && infra !== undefined ? { ...subject, predecessor: `${infraKind.kind} ${infra}` } : subject
    },
    watchOthers: (trigger) =>
      onSpecChange(caches.infras, ({ metadata }) => {
        for (const attached of caches.clusterAttachments.objects.byIndex('byInfra', keyOf(metadata))) {
          trigger(keyOf(attached.metadata))
        }
      }),
  }
}

function subjectOf(kind: Kind<OwnObject>, live: OwnObject, infra: Infra | undefined): Subject | undefined {
  const [claim] = claimsOf(live)
  if (!infra || !claim) return undefined
  const { hostedCluster: ref, controlPlaneNamespace, apiServerService } = claim
  const meant = { from: live.metadata.namespace ?? '', ref, controlPlaneNamespace, apiServerService }
  return { owner: ownerOf(kind, live), apps: askedBy(claim), meant, claim, infra, heirs: [] }
}

/** An address that is given by hand is not asked for. */
function askedBy({ appsIngress }: Claim): AppsIngress | undefined {
  return appsIngress?.enabled && appsIngress.address === undefined ? appsIngress : undefined
}

/** The place where somebody wants the Service; undefined for who wants none. */
export function placeOfClaim(claim: Claim): Place | undefined {
  const apps = askedBy(claim)
  if (!apps) return undefined
  const { name, namespace } = serviceRef({ spec: apps })
  return {
    hostedCluster: claim.hostedCluster && keyOf(claim.hostedCluster),
    serviceName: name,
    serviceNamespace: namespace,
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
  const ref = name === '' ? undefined : { name, namespace }
  return { from: live.metadata.namespace ?? '', ref, apiServerService: 'kube-apiserver' }
}

export function requestOf(
  { owner, predecessor, claim, infra }: Subject,
  apps: AppsIngress,
  { hostedCluster }: Located,
  { settings }: Operator,
): AppsRequest {
  const domain = domainOf(claim.dns) ?? clusterDomainOf(hostedCluster)
  const names = domain && { domain, clusterName: claim.dns?.clusterName, appsDomain: appsDomainOf(hostedCluster) }
  return {
    owner,
    predecessor,
    spec: apps,
    domain: names && appsDomain(apps.baseDomain, names),
    vlan: vlanOf(infra, settings.targetCidrs),
  }
}
