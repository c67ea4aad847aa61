import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { createOperator, fieldManager } from '../../controllers/shared/create.ts'
import type { ControllerName } from '../../controllers/shared/names.ts'
import { preflight } from '../../controllers/shared/preflight.ts'
import { type Cidr, parseCidr } from '../../core/net/cidr.ts'
import type { Problem } from '../../core/result.ts'
import { registerRuntimeMetrics } from '../../runtime/controller/metrics.ts'
import { incompleteCaches, runControllers } from '../../runtime/controller/run.ts'
import { KubeClient } from '../../runtime/kube/client.ts'
import { findAccess } from '../../runtime/kube/kubeconfig.ts'
import { KubeconfigError } from '../../runtime/kube/kubeconfig-file.ts'
import { ScrapeReview } from '../../runtime/kube/scrape-review.ts'
import { Transport } from '../../runtime/kube/transport.ts'
import { Election } from '../../runtime/leader/election.ts'
import { createLogger, type Logger, type LogLevel } from '../../runtime/observe/log.ts'
import { Metrics } from '../../runtime/observe/metrics.ts'
import { selfSigned } from '../../runtime/observe/self-signed.ts'
import { close, createObserveServer, listen } from '../../runtime/observe/server.ts'
import { systemClock } from '../../runtime/time/clock.ts'
import { logLevelOption } from '../options.ts'
import { reportProblems, type Terminal } from '../terminal.ts'
import { type BindAddress, bindAddressOption, controllersOption, switchOption } from './options.ts'
import { addVirtualIngressOptions, type VirtualIngressOptions, virtualIngressSettings } from './virtualingress.ts'

interface ManagerOptions extends VirtualIngressOptions {
  readonly kubeconfig?: string
  readonly image?: string
  readonly corednsImage?: string
  readonly envoyImage?: string
  readonly leaderElect: boolean
  readonly namespace?: string
  readonly metricsBindAddress: BindAddress
  readonly metricsSecure: boolean
  readonly metricsCertPath?: string
  readonly healthProbeBindAddress: BindAddress
  readonly enableOpenshift: boolean
  readonly allowAnyTargetNamespace?: true
  readonly allowedTargetCidrs: readonly Cidr[]
  readonly controllers: readonly ControllerName[]
  readonly publishedKubeconfig?: true
  readonly logLevel: LogLevel
}

/** The name under which managers, also of the Go program, agree on who is the one. */
const leaseName = '8d60c2c3.densityops.com'
/** Those that run VirtualIngresses alone are no rivals of the others. */
const virtualIngressLeaseName = 'virtualingress.densityops.com'
const defaultImage = 'oooi:dev'
/** The versions that the tests ran with. */
const defaultCorednsImage = 'docker.io/coredns/coredns:1.12.4'
const defaultEnvoyImage = 'docker.io/envoyproxy/envoy:distroless-v1.40.0'

const more = `
Watches Infras and their components in all namespaces, makes the pods that serve them, and reports what it sees. Makes
an Ingress or HTTPRoute of every VirtualIngress, with the Services that its labels mean.

Examples:
  oooi manager                          against the current kubeconfig, as one of one
  oooi manager --leader-elect --namespace oooi-system --image registry.example.com/oooi:1.0
  oooi manager --controllers virtualingress    only VirtualIngresses; the other kinds need not be installed`

export function managerCommand(terminal: Terminal): Command {
  const command = new Command('manager')
    .description('the operator: serve the Infras of a Kubernetes cluster')
    .option('--kubeconfig <file>', 'the cluster; default: as kubectl finds it, or that of the pod')
    .option('--image <image>', `image of the components that name none; default: OOOI_IMAGE, else ${defaultImage}`)
    .option(
      '--coredns-image <image>',
      `image of DNS servers with engine coredns; default: OOOI_COREDNS_IMAGE, else ${defaultCorednsImage}`,
    )
    .option('--envoy-image <image>', `image of Envoy; default: OOOI_ENVOY_IMAGE, else ${defaultEnvoyImage}`)
    .addOption(switchOption('--leader-elect', 'act only while holding the Lease; for more than one manager', false))
    .option('--namespace <namespace>', 'where that Lease is; default: that of the pod or of the kubeconfig')
    .addOption(bindAddressOption('--metrics-bind-address', '/metrics', ':8080'))
    .addOption(switchOption('--metrics-secure', 'metrics over TLS, for users who may get the path /metrics', false))
    .option('--metrics-cert-path <dir>', 'its tls.crt and tls.key; default: a certificate that nobody vouches for')
    .addOption(bindAddressOption('--health-probe-bind-address', '/healthz and /readyz', ':8081'))
    .addOption(switchOption('--enable-openshift', 'accepted and without effect: nothing differs on OpenShift', false))
    .option('--allow-any-target-namespace', 'Infras may lead into any namespace; for clusters of one team')
    .addOption(
      new Option('--allowed-target-cidrs <list>', 'where targets given by address may lie besides the VLAN')
        .argParser(parseCidrs)
        .default([] as Cidr[], 'none'),
    )
    .addOption(controllersOption())
    .option(
      '--published-kubeconfig',
      'for apps ingress, where a control plane has no kubeconfig of its own: that of the HostedCluster',
    )
    .addOption(logLevelOption())
    .addHelpText('after', more)
    .action((options: ManagerOptions) => {
      if (options.watchNamespaces.length > 0 && options.controllers.includes('infra'))
        command.error('--watch-namespaces needs --controllers virtualingress: Infras are looked for everywhere')
      return manager(terminal, options)
    })
  return addVirtualIngressOptions(command)
}

async function manager(terminal: Terminal, options: ManagerOptions): Promise<void> {
  const log = createLogger(options.logLevel, terminal.stderr)
  try {
    reportProblems(terminal, await run(terminal, options, log))
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const reason = error instanceof KubeconfigError ? 'NoCluster' : 'ClusterUnusable'
    reportProblems(terminal, [{ reason, message }])
  }
}

async function run(terminal: Terminal, options: ManagerOptions, log: Logger): Promise<Problem[]> {
  const clock = systemClock
  const random = Math.random
  if (options.enableOpenshift) log.info('--enable-openshift has no effect: nothing differs on OpenShift')
  const access = await findAccess({ environment: terminal.env, clock, path: options.kubeconfig })
  const identity = `${hostname()}_${randomUUID()}`
  const reader = new KubeClient(new Transport(access, { clock, random, userAgent: 'oooi-manager' }), fieldManager)
  const wrong = await preflight(reader, options.controllers, terminal.stop, options.watchNamespaces)
  if (wrong.length > 0) return wrong
  const name = options.controllers.includes('infra') ? leaseName : virtualIngressLeaseName
  const lease = { namespace: options.namespace ?? access.namespace, name }
  const election = options.leaderElect
    ? new Election({ client: reader, lease, identity, clock, random, log })
    : undefined
  const settings = {
    image: options.image ?? terminal.env.OOOI_IMAGE ?? defaultImage,
    corednsImage: options.corednsImage ?? terminal.env.OOOI_COREDNS_IMAGE ?? defaultCorednsImage,
    envoyImage: options.envoyImage ?? terminal.env.OOOI_ENVOY_IMAGE ?? defaultEnvoyImage,
    anyTargetNamespace: options.allowAnyTargetNamespace === true,
    targetCidrs: options.allowedTargetCidrs,
    virtualIngress: virtualIngressSettings(options),
    publishedKubeconfig: options.publishedKubeconfig === true,
  }
  const writer = election ? reader.fencedBy(election.fence) : reader
  const metrics = new Metrics()
  const {
    informers,
    controllers,
    events,
    close: leaveHosted,
  } = createOperator({
    reader,
    writer,
    identity,
    settings,
    controllers: options.controllers,
    metrics,
    clock,
    random,
    log,
  })
  const parts = { transport: reader.transport, informers, controllers }
  registerRuntimeMetrics(metrics, 'oooi', election ? { ...parts, election } : parts)
  const ready = (): string[] => incompleteCaches(informers)
  const secure = options.metricsSecure ? await scrapeSecurity(options, reader) : undefined
  const windows: [BindAddress, Server][] = [
    [options.healthProbeBindAddress, createObserveServer({ metrics, ready })],
    [options.metricsBindAddress, createObserveServer({ metrics, ready, ...(secure && { secure }) })],
  ]
  const servers = await Promise.all(
    windows.flatMap(([place, server]) => (place === 'off' ? [] : [observe(server, place)])),
  )
  const observed = servers.map((server) => server.address())
  log.info({ cluster: access.origin, image: settings.image, identity, observed }, 'starting')
  try {
    await runControllers({
      informers,
      controllers,
      ...(election ? { election } : {}),
      clock,
      log,
      signal: terminal.stop,
    })
    return []
  } finally {
    await events.stop(1000)
    await leaveHosted()
    await Promise.all(servers.map(close))
    await reader.transport.close()
    log.info('stopped')
  }
}

/** Whom the metrics are shown to is the API server's decision; the certificate is given, or one nobody vouches for. */
async function scrapeSecurity({ metricsCertPath }: ManagerOptions, client: KubeClient) {
  const review = new ScrapeReview(client, systemClock, '/metrics')
  const read = (name: string): Promise<string> => readFile(join(metricsCertPath ?? '', name), 'utf8')
  const certificate = metricsCertPath
    ? { cert: await read('tls.crt'), key: await read('tls.key') }
    : selfSigned(hostname(), systemClock.now())
  return { ...certificate, judge: (token: string) => review.judge(token) }
}

async function observe(server: Server, place: Exclude<BindAddress, 'off'>) {
  await listen(server, place)
  return server
}

function parseCidrs(text: string, earlier: readonly Cidr[]): Cidr[] {
  const cidrs = text.split(',').map((entry) => parseCidr(entry.trim()))
  if (cidrs.includes(undefined)) throw new InvalidArgumentError('It must be networks such as 10.0.0.0/8,172.16.0.0/12.')
  return [...earlier, ...cidrs.filter((cidr) => cidr !== undefined)]
}
