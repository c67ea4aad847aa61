import { Command } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { type KindDefinition, kinds } from '../api/kinds.ts'
import { parseDhcpServerFile, parseDnsServerFile, parseProxyServerFile } from '../api/manifest.ts'
import { serverAddressesOf } from '../api/network.ts'
import { PodEnd } from '../controllers/pod/pod-end.ts'
import { dhcpStatements, dhcpStatus, dnsStatements, dnsStatus, proxyStatus } from '../controllers/pod/status.ts'
import { PlacedEngine } from '../controllers/standalone/placed.ts'
import { SingleEngine } from '../controllers/standalone/single.ts'
import { withoutOwnPorts } from '../core/proxy/own-ports.ts'
import { onlyPermittedTargets } from '../core/proxy/permitted.ts'
import { defaultProxyEngine } from '../core/render/render.ts'
import { failed, ok, type Result } from '../core/result.ts'
import { proxyStatements } from '../core/status/proxy.ts'
import type { Statement } from '../core/status/statement.ts'
import type { Engine, EngineContext, EngineStatus } from '../engines/engine.ts'
import type { ClusterAccess } from '../runtime/kube/access.ts'
import type { KubeClient } from '../runtime/kube/client.ts'
import { FileSource } from '../runtime/source/file.ts'
import { systemClock } from '../runtime/time/clock.ts'
import { addDnsOptions, type DnsOptions, programOf } from './dns.ts'
import {
  addAcceptedFlags,
  addTargetOptions,
  chooseTarget,
  ignoredFlags,
  type ObjectTarget,
  type TargetOptions,
} from './engine-target.ts'
import { type AddressOptions, addAddressOptions } from './options.ts'
import { addProxyOptions, envoyChoices, type ProxyOptions, renderEnvoy } from './proxy.ts'
import { addServingOptions, runService, type ServingOptions } from './serving.ts'
import { reportProblems, type Terminal } from './terminal.ts'

type EngineOptions = ServingOptions & TargetOptions & DnsOptions & ProxyOptions & AddressOptions

/** What every kind with an engine has. */
interface Placed {
  readonly spec: { readonly networkConfig: Parameters<typeof serverAddressesOf>[0] }
}

/** One engine as a command: its kind, how a manifest of it is read, how the engine is made, what its status tells. */
interface EngineCommand<Resource, Status extends EngineStatus> {
  readonly name: string
  readonly definition: KindDefinition<Resource>
  readonly does: string
  readonly parse: (text: string, file: string) => Result<Resource>
  /** Its network on the VLAN, where the kind says it. */
  readonly cidrOf: (resource: Resource) => string | undefined
  /** Loaded when it is needed: a process that serves for months carries no engine but its own. */
  readonly load: () => Promise<EngineMaker<Resource, Status>>
  /** What a pod may serve of its object, where that is not all of it. */
  readonly permittedInPod?: (resource: Resource) => Resource
  /** What this engine alone has. */
  readonly addOptions?: (command: Command) => Command
  readonly toStatus: (status: Status) => object
  readonly judge?: (status: Status, generation: number) => readonly Statement[]
}

interface EngineMaker<Resource, Status extends EngineStatus> {
  readonly create: (context: EngineContext, options: EngineOptions) => Engine<Resource, Status>
  /** The same for a pod, where it may also have objects to keep. */
  readonly createInPod?: (context: EngineContext, options: EngineOptions, pod: PodParts) => Engine<Resource, Status>
}

interface PodParts {
  readonly client: KubeClient
  readonly object: ObjectTarget['object']
  readonly end: PodEnd
}

/** The kubelet stops the containers of a pod together; after this it has stopped ours alone. */
const hookWithinMs = 2000

export function engineCommands(terminal: Terminal): Command[] {
  return [
    engineCommand(terminal, {
      name: 'dhcp',
      definition: kinds.DHCPServer,
      does: 'give addresses to the machines of a VLAN',
      parse: parseDhcpServerFile,
      cidrOf: ({ spec }) => spec.networkConfig.cidr,
      load: async () => {
        const [{ createDhcpEngine }, { createMirroredDhcpEngine }] = await Promise.all([
          import('../engines/dhcp/engine.ts'),
          import('../controllers/pod/mirrored-dhcp.ts'),
        ])
        const parts = { clock: systemClock, random: Math.random }
        return {
          create: (context, { stateDir }) => createDhcpEngine({ ...context, stateDir }),
          createInPod: (context, { stateDir }, { client, object: server }) =>
            createMirroredDhcpEngine({ ...context, ...parts, stateDir, client, server }),
        }
      },
      toStatus: dhcpStatus,
      judge: dhcpStatements,
    }),
    engineCommand(terminal, {
      name: 'dns',
      definition: kinds.DNSServer,
      does: 'answer the names of a hosted cluster, forward all others',
      parse: parseDnsServerFile,
      cidrOf: ({ spec }) => spec.networkConfig.secondaryNetworkCIDR,
      addOptions: addDnsOptions,
      load: async () => {
        const { createChosenDnsEngine } = await import('../engines/chosen-dns.ts')
        return {
          create: (context, options) =>
            createChosenDnsEngine({ ...context, stateDir: options.stateDir, coredns: programOf(options) }),
          createInPod: (context, options) =>
            createChosenDnsEngine({ ...context, stateDir: options.stateDir, coredns: programOf(options) ?? 'beside' }),
        }
      },
      toStatus: dnsStatus,
      judge: dnsStatements,
    }),
    engineCommand(terminal, {
      name: 'proxy',
      definition: kinds.ProxyServer,
      does: 'pass TLS through to the control plane by its SNI name',
      parse: parseProxyServerFile,
      cidrOf: () => undefined,
      addOptions: addProxyOptions,
      load: async () => {
        const { createChosenProxyEngine } = await import('../engines/chosen-proxy.ts')
        return {
          create: (context, options) =>
            createChosenProxyEngine({ ...context, stateDir: options.stateDir, ...envoyChoices(options) }),
          createInPod: (context, options, { end }) =>
            createChosenProxyEngine({
              ...context,
              stateDir: options.stateDir,
              ...envoyChoices(options),
              defaultEngine: defaultProxyEngine,
              isEnvoyEnding: () => end.isComing(hookWithinMs),
            }),
        }
      },
      permittedInPod: (proxy) => withoutOwnPorts(onlyPermittedTargets(proxy)),
      toStatus: proxyStatus,
      judge: proxyStatements,
    }),
  ]
}

function engineCommand<Resource extends Placed, Status extends EngineStatus>(
  terminal: Terminal,
  engine: EngineCommand<Resource, Status>,
): Command {
  const { name, definition } = engine
  const command = addTargetOptions(new Command(name).description(`one engine alone: ${engine.does}`), definition.kind)
  engine.addOptions?.(command)
  return addAcceptedFlags(addServingOptions(addAddressOptions(command), terminal, name))
    .addHelpText(
      'after',
      `\nExample:\n  oooi render -f infra.yaml shows a ${definition.kind} to start from\n  oooi ${name} --config ${name}.yaml\n  oooi ${name} --config ${name}.yaml --interface vlan100 --add-addresses\n  oooi ${name} --resource clusters/example-${name}      (as the operator's pods do)`,
    )
    .action(async (options: EngineOptions) => {
      const target = chooseTarget(options)
      if (!target.ok) return command.error(`error: ${target.problems[0]?.message}`)
      for (const flag of ignoredFlags(options)) terminal.stderr.write(`oooi: warning: ignored, ${flag}\n`)
      const [fileFlag] = [
        options.render && '--render',
        options.interface && '--interface',
        options.addAddresses && '--add-addresses',
      ].filter(Boolean)
      if (target.value.type === 'object' && fileFlag) return command.error(`error: ${fileFlag} goes with --config only`)
      if (target.value.type === 'file' && options.render) return renderEnvoy(terminal, target.value.path, options)
      if (target.value.type === 'file') return serveFile(terminal, engine, options, target.value.path)
      return serveObject(terminal, engine, options, target.value)
    })
}

async function serveFile<Resource extends Placed, Status extends EngineStatus>(
  terminal: Terminal,
  engine: EngineCommand<Resource, Status>,
  options: EngineOptions,
  path: string,
): Promise<void> {
  const { create } = await engine.load()
  const placeOf = (resource: Resource) => ({
    addresses: serverAddressesOf(resource.spec.networkConfig),
    cidr: engine.cidrOf(resource),
  })
  const { interface: interfaceName, addAddresses: mayAdd } = options
  return runService(terminal, options, ({ context }) => {
    const single = new SingleEngine(engine.name, () => create(context, options))
    const isPlaced = interfaceName !== undefined || mayAdd
    return {
      source: new FileSource({ path, parse: engine.parse }),
      served: isPlaced ? new PlacedEngine(single, { placeOf, interfaceName, mayAdd, log: context.log }) : single,
    }
  })
}

async function serveObject<Resource, Status extends EngineStatus>(
  terminal: Terminal,
  engine: EngineCommand<Resource, Status>,
  options: EngineOptions,
  { object, kubeconfig }: ObjectTarget,
): Promise<void> {
  const access = await findCluster(terminal, kubeconfig)
  if (!access.ok) return reportProblems(terminal, access.problems)
  const [{ create, createInPod }, { createPod }] = await Promise.all([
    engine.load(),
    import('../controllers/pod/pod.ts'),
  ])
  const end = new PodEnd()
  return runService(terminal, options, ({ context }) => ({
    end,
    ...createPod<Resource, Status>({
      definition: engine.definition,
      object,
      access: access.value,
      stateDir: options.stateDir,
      context,
      clock: systemClock,
      random: Math.random,
      version: packageJson.version,
      createEngine: (client) => createInPod?.(context, options, { client, object, end }) ?? create(context, options),
      permitted: engine.permittedInPod,
      toStatus: engine.toStatus,
      judge: engine.judge,
    }),
    staysWithoutAny: true,
  }))
}

async function findCluster(terminal: Terminal, path: string | undefined): Promise<Result<ClusterAccess>> {
  try {
    const { findAccess } = await import('../runtime/kube/kubeconfig.ts')
    return ok(await findAccess({ environment: terminal.env, clock: systemClock, path }))
  } catch (error) {
    return failed({ reason: 'NoCluster', message: error instanceof Error ? error.message : String(error) })
  }
}
