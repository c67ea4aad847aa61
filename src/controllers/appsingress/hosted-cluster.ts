import { groundworkProblem, loadBalancerClassOf } from '../../core/appsingress/groundwork.ts'
import {
  countReady,
  type Groundwork,
  readAdvertisement,
  readEvent,
  readInstance,
  readPool,
  readRouter,
  readService,
} from '../../core/appsingress/hosted.ts'
import { type Judgement, judgeOutcome } from '../../core/appsingress/outcome.ts'
import type { AppsRequest } from '../../core/appsingress/request.ts'
import { type AppsService, desiredService, isServiceOf, serviceRef } from '../../core/appsingress/service.ts'
import type { KubeClient } from '../../runtime/kube/client.ts'
import { isAlreadyExists, isKindMissing } from '../../runtime/kube/error.ts'
import type { Kind } from '../../runtime/kube/kind.ts'
import { type KubeObject, keyOf, type ObjectRef } from '../../runtime/kube/object.ts'
import * as kind from './kinds.ts'

/**
 * Everything that is done in a hosted cluster: look whether MetalLB and the router are as they should be, write one
 * Service, and see what comes of it. Whatever the API server there says against it is thrown.
 */
export async function publish(
  client: KubeClient,
  request: AppsRequest,
  beforeFirstWrite: () => Promise<void>,
  signal: AbortSignal,
): Promise<Judgement> {
  const groundwork = await look(client, signal)
  const problem = groundworkProblem(request, groundwork)
  // What stands already may go on serving; only nothing new is made on such ground.
  const standing = await client.get(kind.hostedServiceKind, serviceRef(request), signal)
  const owners = [request.owner, request.predecessor].filter((owner) => owner !== undefined)
  if (standing && !owners.some((owner) => isServiceOf(readService(standing), owner))) return notOurs(request)
  if (problem) return { addresses: [], trouble: { reason: problem.reason, message: inSentence(problem) } }

  await beforeFirstWrite()
  const wanted = desiredService(request, loadBalancerClassOf(request, groundwork))
  const service = await write(client, wanted, standing, signal)
  if (service === 'taken') return notOurs(request)
  const { metadata } = wanted
  const slices = await client.list(kind.hostedSliceKind, {
    namespace: metadata.namespace,
    labelSelector: `kubernetes.io/service-name=${metadata.name}`,
    signal,
  })
  const seen = readService(service)
  const outcome = {
    service: seen,
    readyEndpoints: countReady(slices.items),
    events: seen.ips.length > 0 ? [] : await eventsOf(client, service, signal),
  }
  return judgeOutcome(request, groundwork, outcome)
}

/** Removes the Service if it is that owner's. That it is gone already is fine. */
export async function withdraw(client: KubeClient, ref: ObjectRef, owner: string, signal: AbortSignal): Promise<void> {
  const service = await client.get(kind.hostedServiceKind, ref, signal)
  if (!service?.metadata.uid || !isServiceOf(readService(service), owner)) return
  await client.delete(kind.hostedServiceKind, ref, service.metadata.uid, signal)
}

async function look(client: KubeClient, signal: AbortSignal): Promise<Groundwork> {
  const all = async (wanted: Kind) => (await client.list(wanted, { signal })).items
  const ifInstalled = async <Value>(read: Promise<Value>): Promise<Value | undefined> => {
    try {
      return await read
    } catch (error) {
      if (isKindMissing(error)) return undefined
      throw error
    }
  }
  const router = ifInstalled(
    client.get(kind.ingressControllerKind, { namespace: 'openshift-ingress-operator', name: 'default' }, signal),
  )
  const [pools, l2, bgp, instances, controller] = await Promise.all([
    ifInstalled(all(kind.poolKind)),
    ifInstalled(all(kind.l2AdvertisementKind)),
    ifInstalled(all(kind.bgpAdvertisementKind)),
    ifInstalled(all(kind.metallbKind)),
    router,
  ])
  return {
    metallb: pools && {
      pools: pools.map(readPool),
      l2Advertisements: (l2 ?? []).map(readAdvertisement),
      bgpAdvertisements: (bgp ?? []).map(readAdvertisement),
      instances: (instances ?? []).map(readInstance),
    },
    router: controller && readRouter(controller),
  }
}

/** A class cannot be changed, so a Service with another one has to go before ours can come. */
async function write(
  client: KubeClient,
  wanted: AppsService,
  standing: KubeObject | undefined,
  signal: AbortSignal,
): Promise<KubeObject | 'taken'> {
  const wantedClass = 'loadBalancerClass' in wanted.spec ? wanted.spec.loadBalancerClass : undefined
  const isReplaced = standing !== undefined && readService(standing).loadBalancerClass !== wantedClass
  if (standing?.metadata.uid && !isReplaced) {
    return client.apply(kind.hostedServiceKind, wanted, standing.metadata.uid, signal)
  }
  if (standing?.metadata.uid) {
    await client.delete(kind.hostedServiceKind, wanted.metadata, standing.metadata.uid, signal)
  }
  try {
    return await client.applyNew(kind.hostedServiceKind, wanted, signal)
  } catch (error) {
    // Somebody was faster, or a finalizer keeps the old one for a while: the next look tells.
    if (isAlreadyExists(error)) return standing ?? 'taken'
    throw error
  }
}

async function eventsOf(client: KubeClient, { metadata }: KubeObject, signal: AbortSignal) {
  const { name, namespace, uid } = metadata
  const about = `involvedObject.kind=Service,involvedObject.name=${name},involvedObject.uid=${uid}`
  const { items } = await client.list(kind.hostedEventKind, { namespace, fieldSelector: about, signal })
  return items.map(readEvent)
}

function notOurs(request: AppsRequest): Judgement {
  const message = `Service ${keyOf(serviceRef(request))} of the hosted cluster is there already and belongs to somebody else: it is left alone`
  return { addresses: [], trouble: { reason: 'ObjectNotOurs', message } }
}

function inSentence({ field, message }: { field?: string; message: string }): string {
  return field === undefined ? message : `${field}: ${message}`
}
