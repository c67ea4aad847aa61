import type { Command } from 'commander'
import { parseProxyServerFile } from '../api/manifest.ts'
import { toYaml } from '../api/yaml.ts'
import { staticConfigOf } from '../core/proxy/envoy/bootstrap.ts'
import { envoyResourcesOf } from '../core/proxy/envoy/resources.ts'
import { readManifestFile } from '../runtime/source/file.ts'
import { type Endpoint, endpointOption } from './options.ts'
import { reportProblems, type Terminal } from './terminal.ts'

/** What `oooi proxy` has beyond the other engines. */
export interface ProxyOptions {
  readonly podAddress: readonly string[]
  readonly envoy?: string
  readonly envoyMetrics?: Endpoint
  readonly render?: true
}

export function addProxyOptions(command: Command): Command {
  return command
    .option('--envoy <program>', 'with engine envoy: run this Envoy too, and keep it running')
    .addOption(endpointOption('--envoy-metrics <address:port>', 'with --envoy: its metrics and readiness, read only'))
    .option('--render', 'print the Envoy configuration of the manifest as one static file, and end')
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
