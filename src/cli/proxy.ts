import type { Command } from 'commander'
import { parseProxyServerFile } from '../api/manifest.ts'
import { toYaml } from '../api/yaml.ts'
import { staticConfigOf } from '../core/proxy/envoy/bootstrap.ts'
import { envoyResourcesOf } from '../core/proxy/envoy/resources.ts'
import { readManifestFile } from '../runtime/source/manifest-text.ts'
import { type Endpoint, endpointOption, programOption } from './options.ts'
import { reportProblems, type Terminal } from './terminal.ts'

export interface EnvoyOptions {
  readonly envoy?: string
  readonly envoyMetrics?: Endpoint
}

/** What `oooi proxy` has beyond the other engines. */
export interface ProxyOptions extends EnvoyOptions {
  readonly podAddress: readonly string[]
  readonly render?: true
}

export function addEnvoyOptions(command: Command): Command {
  return command
    .addOption(programOption('--envoy <program>', 'with engine envoy: run this Envoy too, and keep it running'))
    .addOption(
      endpointOption('--envoy-metrics <address:port>', 'with engine envoy: its metrics and readiness, read only'),
    )
}

export function addProxyOptions(command: Command): Command {
  return addEnvoyOptions(command).option(
    '--render',
    'print the Envoy configuration of the manifest as one static file, and end',
  )
}

/** What of the command line concerns the engine. */
export function envoyChoices({ envoy, envoyMetrics }: EnvoyOptions) {
  return {
    ...(envoy === undefined ? {} : { envoyProgram: envoy }),
    ...(envoyMetrics === undefined ? {} : { envoyMetricsAt: { address: envoyMetrics.host, port: envoyMetrics.port } }),
  }
}

/** The whole configuration as Envoy reads it, without the discovery service. */
export async function renderEnvoy(terminal: Terminal, file: string, { podAddress }: ProxyOptions): Promise<void> {
  const text = await readManifestFile(file)
  const proxy = text.ok ? parseProxyServerFile(text.value, file) : text
  if (!proxy.ok) return reportProblems(terminal, proxy.problems)
  const resources = envoyResourcesOf(proxy.value, { podAddresses: podAddress, endpoints: 'inline' })
  const nodeId = `${proxy.value.metadata.namespace ?? 'default'}/${proxy.value.metadata.name}`
  for (const { message } of resources.problems) terminal.stderr.write(`oooi: warning: ${message}\n`)
  const envoyConfig = staticConfigOf(resources, { nodeId, adminSocket: '/tmp/envoy-admin.sock' })
  terminal.stdout.write(toYaml([envoyConfig]))
}
