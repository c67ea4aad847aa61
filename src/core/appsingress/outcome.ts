import type { Reason } from '../../api/reasons.ts'
import { isOfSomePool, refusal } from './address.ts'
import { poolsNamed } from './groundwork.ts'
import type { Groundwork, Outcome, Told } from './hosted.ts'
import type { AppsRequest } from './request.ts'

/** What came of the Service: the addresses that are accepted, and what is not as it should be. */
export interface Judgement {
  readonly addresses: readonly string[]
  readonly hostname?: string | undefined
  readonly trouble?: Trouble | undefined
}

export interface Trouble {
  readonly reason: Reason
  readonly message: string
  /** It is normal on the way up, and a fault only in what was up already. */
  readonly isMerelyLate?: boolean
}

interface Scene extends Groundwork, Outcome {
  readonly request: AppsRequest
  readonly accepted: readonly string[]
  readonly refused: readonly { readonly address: string; readonly why: string }[]
}

/** Read top to bottom: the first that finds something tells it. */
const checks: readonly ((scene: Scene) => Trouble | undefined)[] = [
  onlyOneServesIt,
  addressIsAccepted,
  addressIsGiven,
  routerAnswers,
  domainIsTheirs,
]

export function judgeOutcome(request: AppsRequest, groundwork: Groundwork, outcome: Outcome): Judgement {
  const { ips, hostnames } = outcome.service
  const judged = ips.map((address) => ({ address, why: refusal(address, request, outcome.service, groundwork) }))
  const accepted = judged.filter(({ why }) => why === undefined).map(({ address }) => address)
  const refused = judged.flatMap(({ address, why }) => (why === undefined ? [] : [{ address, why }]))
  const scene = { ...groundwork, ...outcome, request, accepted, refused }
  const trouble = checks.map((check) => check(scene)).find((found) => found !== undefined)
  return { addresses: accepted, hostname: hostnames[0], trouble }
}

/** The cloud controller of the control plane leaves this on every Service that it serves. */
const cloudFinalizer = 'service.kubernetes.io/load-balancer-cleanup'

/** Two controllers write each their own address into a Service without a class, and take away the other's. */
function onlyOneServesIt({ service, refused, ...found }: Scene): Trouble | undefined {
  const isServedByCloud = service.finalizers.includes(cloudFinalizer)
  const foreign = [
    ...refused.map(({ address }) => address).filter((address) => !isOfSomePool(address, found)),
    ...service.hostnames,
  ]
  if (!isServedByCloud && foreign.length === 0) return undefined
  const sign =
    foreign.length > 0 ? `${foreign.join(', ')} is of no IPAddressPool` : `it carries the finalizer ${cloudFinalizer}`
  const message = `another load balancer than MetalLB serves the Service too (${sign}): set the same loadBalancerClass in the MetalLB object and in spec.appsIngress.service`
  return { reason: 'LoadBalancerContention', message }
}

function addressIsAccepted({ refused }: Scene): Trouble | undefined {
  const [first] = refused
  return first && { reason: 'AddressRefused', message: `the address of the Service is not used: ${first.why}` }
}

function addressIsGiven({ request, events, accepted, ...found }: Scene): Trouble | undefined {
  if (accepted.length > 0) return undefined
  const failure = lastFailure(events)
  if (failure) return { reason: 'AllocationFailed', message: `MetalLB says: ${failure.message || failure.reason}` }
  const pools = poolsNamed(request, found)
  if (pools.length > 0 && pools.every(({ availableIPv4 }) => availableIPv4 === 0)) {
    const name = request.spec.metallb?.addressPoolName
    return { reason: 'AddressPoolExhausted', message: `all addresses of the IPAddressPool ${name} are taken` }
  }
  return { reason: 'AddressPending', message: 'MetalLB has given no address yet', isMerelyLate: true }
}

const failures = ['AllocationFailed', 'LoadBalancerFailed', 'AdditionalAssignFailed']

/** Unless an address was given since; for some failures MetalLB says nothing at all. */
function lastFailure(events: readonly Told[]): Told | undefined {
  const told = events
    .filter(({ reason }) => reason === 'IPAllocated' || failures.includes(reason))
    .toSorted((one, other) => (one.time < other.time ? -1 : 1))
    .at(-1)
  return told && told.reason !== 'IPAllocated' ? told : undefined
}

function routerAnswers({ readyEndpoints, request }: Scene): Trouble | undefined {
  if (readyEndpoints > 0) return undefined
  const selector = Object.entries(request.spec.service?.selector ?? {}).map(([key, value]) => `${key}=${value}`)
  const which = selector.length > 0 ? ` with ${selector.join(',')}` : ' of the default IngressController'
  return { reason: 'NoRouterEndpoints', message: `no pod${which} is ready behind the Service`, isMerelyLate: true }
}

/** Its certificate is for its own domain; under another name the router knows no route either. */
function domainIsTheirs({ router, request: { domain } }: Scene): Trouble | undefined {
  const theirs = router?.domain
  if (domain === undefined || theirs === undefined || theirs === domain) return undefined
  const message = `the names are served below ${domain}, but the router of the hosted cluster serves ${theirs}: correct or leave out spec.appsIngress.baseDomain`
  return { reason: 'AppsDomainMismatch', message }
}
