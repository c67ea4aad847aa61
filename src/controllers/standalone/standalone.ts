import type { DHCPServer } from '../../api/dhcpserver.ts'
import type { DNSServer } from '../../api/dnsserver.ts'
import type { Infra } from '../../api/infra.ts'
import { serverAddressesOf } from '../../api/network.ts'
import type { ProxyServer } from '../../api/proxyserver.ts'
import {
  dnsPlaces,
  isServedByCoredns,
  isServedByEnvoy,
  placesOf,
  proxyPlaces,
} from '../../core/places/component-places.ts'
import { type AttachedInfra, bindAttached, domainAt } from '../../core/plan/attached.ts'
import { vmRecords } from '../../core/resolve/vmrecords.ts'
import type { Problem, Result } from '../../core/result.ts'
import { type Boot, traceBoots } from '../../core/trace/boots.ts'
import { pathsOf } from '../../core/trace/paths.ts'
import type { Binding } from '../../core/translate/binding.ts'
import { type Components, translate } from '../../core/translate/translate.ts'
import { type ChosenDnsOptions, type ChosenDnsStatus, createChosenDnsEngine } from '../../engines/chosen-dns.ts'
import { type ChosenProxyOptions, type ChosenProxyStatus, createChosenProxyEngine } from '../../engines/chosen-proxy.ts'
import { createDhcpEngine, type DhcpEngine, type DhcpEngineStatus } from '../../engines/dhcp/engine.ts'
import { journalPath, readLeases } from '../../engines/dhcp/journal/open.ts'
import type { LeaseRecord } from '../../engines/dhcp/leases/lease-record.ts'
import type { Engine, EngineContext } from '../../engines/engine.ts'
import type { OwnerSockets } from '../../engines/sockets/process-sockets.ts'
import { Turns } from '../../runtime/time/turns.ts'
import { unreachableBackends } from './backends.ts'
import { besides } from './besides.ts'
import type { HostPreparation } from './host.ts'
import type { Released } from './serve.ts'
import { type ComponentReport, Slot } from './slot.ts'

interface StandaloneOptions {
  readonly context: EngineContext
  readonly sockets: OwnerSockets
  readonly stateDir: string
  readonly host: HostPreparation
  readonly coredns?: ChosenDnsOptions['coredns']
  readonly envoy?: Pick<ChosenProxyOptions, 'envoyProgram' | 'envoyMetricsAt'>
}

/** Long-lived connections get this long to end when their component is switched off while the others go on. */
const switchOffGraceMs = 5000

/**
 * The operator in one process: the same translate, with engines here instead of pods. What the manager resolves in a
 * cluster (the names of VMs for DNS) is resolved from the DHCP engine next door.
 */
export class Standalone {
  readonly #options: StandaloneOptions
  readonly #dhcp: Slot<DHCPServer, DhcpEngineStatus, DhcpEngine>
  readonly #dns: Slot<DNSServer, ChosenDnsStatus, Engine<DNSServer, ChosenDnsStatus>>
  readonly #proxy: Slot<ProxyServer, ChosenProxyStatus, Engine<ProxyServer, ChosenProxyStatus>>
  #wanted: Components = {}
  #bindings: readonly Binding[] = []
  #problems: readonly Problem[] = []
  /** The Infra that is served, and what the host has lost of what it needs since then. */
  #served: Infra | undefined
  #lost: readonly Problem[] = []
  #absent: ReadonlySet<string> = new Set()
  /** The newest Infra, while only the host keeps it from being served: a link or an address may still come. */
  #awaited: AttachedInfra | undefined
  /** Applies never overlap: an engine is promised one call at a time. */
  readonly #turns = new Turns()
  #namesTimer: NodeJS.Timeout | undefined

  constructor(options: StandaloneOptions) {
    const { sockets, stateDir, coredns, envoy } = options
    const context = { ...options.context, sockets }
    this.#options = options
    this.#dhcp = new Slot('dhcp', () =>
      createDhcpEngine({ ...context, stateDir, onLeaseChange: () => this.#namesSoon() }),
    )
    this.#dns = new Slot('dns', () => createChosenDnsEngine({ ...context, stateDir, coredns }))
    this.#proxy = new Slot('proxy', () => createChosenProxyEngine({ ...context, stateDir, ...envoy }))
  }

  /** Has every place that this Infra needs, beside the process that serves it now, or returns why not. */
  reserve(attached: AttachedInfra): Promise<readonly Problem[]> {
    return this.#turns.take(async () => {
      const { desired } = this.#translate(attached)
      const problems = desired.ok ? await this.#options.host.prepare(attached.infra) : desired.problems
      if (!desired.ok || problems.length > 0) return problems
      const refusals = await this.#options.sockets.reserve(placesOf(desired.value, this.#options.context.podAddresses))
      return refusals.length > 0 ? refusals : this.#startPrograms(desired.value)
    })
  }

  /** Programs that listen themselves share their ports too, so ours run beside those of the other process. */
  async #startPrograms({ dns, proxy }: Components): Promise<readonly Problem[]> {
    const { coredns, envoy, context, stateDir } = this.#options
    const { podAddresses, now } = context
    if (proxy && isServedByEnvoy(proxy) && envoy?.envoyProgram !== undefined) {
      await this.#proxy.apply(proxy, 0)
      const problems = await besides(this.#proxy, proxyPlaces(proxy, podAddresses))
      if (problems.length > 0) return problems
    }
    if (!dns || !isServedByCoredns(dns) || coredns === undefined) return []
    // The names of machines come from leases, which are still the other process's: read as they are on disk.
    const leases = await readLeases(journalPath(stateDir), now())
    await this.#dns.apply(this.#withNames(dns, leases.ok ? leases.value : []), 0)
    return besides(this.#dns, dnsPlaces(dns, podAddresses))
  }

  /** Serves this Infra. Why it cannot be served is returned and shown in the report; what worked before goes on. */
  apply(attached: AttachedInfra): Promise<readonly Problem[]> {
    return this.#turns.take(() => this.#serve(attached))
  }

  /** What the newest version of the file is not served for, when it could not even be read. */
  refuse(problems: readonly Problem[]): void {
    this.#problems = problems
    this.#awaited = undefined
  }

  /** Tries again what the host did not allow, e.g. a port that was taken. */
  retry(): Promise<readonly Problem[]> {
    return this.#turns.take(() => (this.#awaited ? this.#serve(this.#awaited) : this.#serveWanted()))
  }

  /** Somebody may have taken an address away, or brought the one that was missing; where oooi may add addresses, it does. */
  inspect(): Promise<void> {
    return this.#turns.take(async () => {
      const { context, host } = this.#options
      if (this.#awaited && (await this.#serve(this.#awaited)).length === 0) {
        context.log.info('the host has what was missing: the manifest is served')
      }
      if (!this.#served) return
      const lost = await host.prepare(this.#served)
      if (lost.length > 0 && this.#lost.length === 0) {
        context.log.error({ problems: lost }, 'the host lost what is served on')
      }
      if (lost.length === 0 && this.#lost.length > 0) {
        context.log.info('the host has everything again that is served on')
      }
      this.#lost = lost
      this.#absent = lost.length > 0 ? host.absent(this.#served) : new Set()
    })
  }

  reports(): readonly ComponentReport[] {
    const { dhcp, dns, proxy } = this.#wanted
    return [
      ...(dhcp ? [this.#reportOf(this.#dhcp, dhcp.spec.networkConfig)] : []),
      ...(dns ? [this.#reportOf(this.#dns, dns.spec.networkConfig)] : []),
      ...(proxy ? [this.#reportOf(this.#proxy, proxy.spec.networkConfig)] : []),
    ]
  }

  /** Whoever listens at an address that the host has lost serves nobody. */
  #reportOf(slot: { report(): ComponentReport }, at: Parameters<typeof serverAddressesOf>[0]): ComponentReport {
    const report = slot.report()
    const isCutOff = serverAddressesOf(at).some((address) => this.#absent.has(address))
    return isCutOff ? { ...report, ready: false, serving: false } : report
  }

  get problems(): readonly Problem[] {
    const silent = unreachableBackends(this.#proxy.engine?.status().backends ?? [])
    return [...this.#problems, ...this.#lost, ...this.reports().flatMap((report) => report.problems), ...silent]
  }

  leases(): ReturnType<DhcpEngine['leases']> {
    return this.#dhcp.engine?.leases() ?? []
  }

  /** Whoever has a lease is expected to boot: there is no list of machines here. */
  boots(): readonly Boot[] {
    const [dnsStatus, proxyStatus] = [this.#dns.engine?.status(), this.#proxy.engine?.status()]
    const [dnsAddress] = serverAddressesOf(this.#wanted.dns?.spec.networkConfig ?? {})
    const [proxyAddress] = serverAddressesOf(this.#wanted.proxy?.spec.networkConfig ?? {})
    return traceBoots({
      machines: [],
      countsStrangers: true,
      leases: this.leases().map((lease) => ({ ...lease, startMs: Date.parse(lease.start) })),
      refusals: [],
      dns: dnsStatus && 'clients' in dnsStatus ? dnsStatus.clients : undefined,
      proxy: proxyStatus && 'clients' in proxyStatus ? proxyStatus.clients : undefined,
      dnsAddress,
      proxyAddress,
    })
  }

  stop(graceMs: number): Promise<void> {
    clearTimeout(this.#namesTimer)
    return this.#turns.take(async () => {
      await Promise.all([this.#dhcp.stop(graceMs), this.#dns.stop(graceMs), this.#proxy.stop(graceMs)])
      await this.#options.host.restore()
    })
  }

  /** Everything another process may want is free when this returns; open connections have `graceMs` to end. */
  release(graceMs: number): Promise<Released> {
    clearTimeout(this.#namesTimer)
    return this.#turns.take(async () => {
      const released = await Promise.all([this.#dhcp, this.#dns, this.#proxy].map((slot) => slot.release(graceMs)))
      return {
        left: released.flatMap(({ left }) => left),
        drained: Promise.all(released.map(({ drained }) => drained)).then(() => undefined),
        addresses: this.#options.host.surrender(),
      }
    })
  }

  async #serve(attached: AttachedInfra): Promise<readonly Problem[]> {
    const { desired, bindings } = this.#translate(attached)
    this.#awaited = undefined
    this.#problems = desired.ok ? await this.#options.host.prepare(attached.infra) : desired.problems
    if (!desired.ok) return this.#problems
    if (this.#problems.length > 0) {
      this.#awaited = attached
      // What has never been served is to be seen as what it is: not ready.
      if (!this.#served) this.#wanted = desired.value
      return this.#problems
    }
    this.#wanted = desired.value
    this.#bindings = bindings
    this.#served = attached.infra
    this.#lost = []
    this.#absent = new Set()
    const refusals = await this.#serveWanted()
    this.#options.sockets.endReservation()
    return refusals
  }

  #translate(attached: AttachedInfra): { desired: Result<Components>; bindings: readonly Binding[] } {
    const { bindings = [] } = bindAttached(attached)
    const desired = translate(attached.infra, {
      mode: 'file',
      bindings: bindings.length > 0 ? bindings : undefined,
      internalProxyAddress: this.#options.context.podAddresses[0],
    })
    return { desired, bindings }
  }

  async #serveWanted(): Promise<readonly Problem[]> {
    // Nothing depends on the order but the first moment: the way out is there before addresses are given, and the leases
    // before the names that are made of them.
    await this.#proxy.apply(this.#wanted.proxy, switchOffGraceMs)
    await this.#dhcp.apply(this.#wanted.dhcp, switchOffGraceMs)
    await this.#dns.apply(this.#dnsWithNames(), switchOffGraceMs)
    return [this.#proxy, this.#dns, this.#dhcp].flatMap((slot) => slot.refusals)
  }

  /** Leases come in bursts when a rack boots; the names follow a moment later, once. */
  #namesSoon(): void {
    this.#namesTimer ??= setTimeout(() => {
      this.#namesTimer = undefined
      void this.#turns.take(() => this.#dns.apply(this.#dnsWithNames(), switchOffGraceMs))
    }, 20)
  }

  #dnsWithNames(): DNSServer | undefined {
    const { dns } = this.#wanted
    return dns && this.#withNames(dns, this.leases())
  }

  #withNames(dns: DNSServer, given: readonly LeaseRecord[]): DNSServer {
    const leases = given.map((lease) => ({ ...lease, cluster: domainAt(lease.address, this.#bindings) }))
    const records = vmRecords(leases, (domain) => domain ?? dns.spec.hostedClusterDomain)
    const paths = pathsOf(this.#wanted.proxy?.spec.backends ?? [])
    return { ...dns, status: { ...dns.status, resolved: { ...dns.status?.resolved, records, paths } } }
  }
}
