import { z } from 'zod'
import type { NetworkSelection } from './selection.ts'

const plugin = z.looseObject({
  type: z.string(),
  capabilities: z.record(z.string(), z.boolean()).optional(),
})

export type PluginConfig = z.infer<typeof plugin>

const single = plugin.extend({ cniVersion: z.string().optional(), name: z.string().optional() })
const list = z.object({
  cniVersion: z.string().optional(),
  name: z.string().optional(),
  plugins: z.array(plugin).min(1),
})

/**
 * The plugins that a NetworkAttachmentDefinition names, each with the configuration it is to be called with. A runtime
 * value (addresses, MAC) goes only to plugins that declare the capability; without `"capabilities": {"ips": true}` a
 * wanted address reaches nobody, as in a real cluster.
 */
export function pluginsOf(config: string, selection: NetworkSelection): PluginConfig[] {
  const parsed: unknown = JSON.parse(config)
  const several = list.safeParse(parsed).data
  const { cniVersion = '0.3.1', name = selection.name } = several ?? single.parse(parsed)
  const plugins = several?.plugins ?? [single.parse(parsed)]
  return plugins.map((one) => withRuntimeValues({ ...one, cniVersion, name }, selection))
}

function withRuntimeValues({ capabilities, ...config }: PluginConfig, selection: NetworkSelection): PluginConfig {
  const runtimeConfig = {
    ...(capabilities?.ips && selection.ips.length > 0 ? { ips: selection.ips } : {}),
    ...(capabilities?.mac && selection.mac ? { mac: selection.mac } : {}),
  }
  return { ...config, runtimeConfig }
}
