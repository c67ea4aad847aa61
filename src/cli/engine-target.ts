import { type Command, Option } from 'commander'
import { failed, ok, type Result } from '../core/result.ts'

/** What an engine command is told to serve, in our words and in those of the Go program it replaces. */
export interface TargetOptions {
  readonly config?: string
  readonly resource?: string
  readonly kubeconfig?: string
  readonly configFile?: string
  readonly corefile?: string
  readonly xdsPort?: string
  readonly namespace?: string
  readonly proxyName?: string
  readonly proxyLogLevel?: string
}

export interface ObjectTarget {
  readonly type: 'object'
  readonly object: { readonly namespace: string; readonly name: string }
  readonly kubeconfig: string | undefined
}

export type Target = { readonly type: 'file'; readonly path: string } | ObjectTarget

export function addTargetOptions(command: Command, kind: string): Command {
  return command
    .option('--config <manifest.yaml>', `the ${kind} to serve, from a file; a change of the file is served at once`)
    .option('--resource <namespace/name>', `the ${kind} to serve, from the API server, which is told what is served`)
    .option('--kubeconfig <file>', 'with --resource: the way to the API server (default: as kubectl, or as in a pod)')
}

/** Flags that manifests written for the Go program give. They mean the same, or nothing any more. */
const acceptedFlags: Readonly<Record<string, readonly string[]>> = {
  dhcp: ['--config-file <file>'],
  dns: ['--corefile <file>'],
  proxy: ['--xds-port <port>', '--namespace <namespace>', '--proxy-name <name>', '--proxy-log-level <level>'],
}

export function addAcceptedFlags(command: Command): Command {
  for (const flags of acceptedFlags[command.name()] ?? []) command.addOption(new Option(flags).hideHelp())
  return command
}

const withoutMeaning = {
  configFile: '--config-file: the DHCPServer has all settings',
  corefile: '--corefile: the DNSServer has all settings',
  xdsPort: '--xds-port: spec.xdsPort of the ProxyServer has it',
  proxyLogLevel: '--proxy-log-level: spec.logLevel of the ProxyServer has it',
} as const

export function ignoredFlags(options: TargetOptions): string[] {
  return Object.entries(withoutMeaning)
    .filter(([name]) => Object.hasOwn(options, name))
    .map(([, text]) => text)
}

/** Exactly one thing to serve, or the sentence that says what is missing. */
export function chooseTarget(options: TargetOptions): Result<Target> {
  const { config, kubeconfig } = options
  const resource = options.resource ?? resourceOfOldFlags(options)
  if (config !== undefined && resource !== undefined) return refused('give --config or --resource, not both')
  if (config !== undefined && kubeconfig !== undefined) return refused('--kubeconfig goes with --resource only')
  if (config !== undefined) return ok({ type: 'file', path: config })
  if (resource === undefined)
    return refused('give what to serve: --config <manifest.yaml> or --resource <namespace/name>')
  const [namespace = '', name = '', ...rest] = resource.split('/')
  const isName = (text: string): boolean => /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(text)
  if (!isName(namespace) || !isName(name) || rest.length > 0) {
    return refused(`--resource is "${resource}": it must be <namespace>/<name>, e.g. clusters/example-dns`)
  }
  return ok({ type: 'object', object: { namespace, name }, kubeconfig })
}

function resourceOfOldFlags({ namespace, proxyName }: TargetOptions): string | undefined {
  if (namespace === undefined && proxyName === undefined) return undefined
  return `${namespace ?? ''}/${proxyName ?? ''}`
}

function refused(message: string): Result<Target> {
  return failed({ reason: 'InvalidField', message })
}
