import type { Problem } from '../result.ts'

/** A NetworkAttachmentDefinition as far as it is looked at. */
export interface AttachmentView {
  readonly spec?: { readonly config?: string } | undefined
}

interface Plugin {
  readonly type?: unknown
  readonly mode?: unknown
  readonly subnets?: unknown
  readonly capabilities?: { readonly ips?: unknown } | undefined
  readonly ipam?: { readonly type?: unknown } | undefined
}

/**
 * Can a pod get the address it asks for through this definition? What is said here is known to fail; what is not
 * judged shows when the pod is attached.
 */
export function attachmentProblem(name: string, attachment: AttachmentView, forDhcp: boolean): Problem | undefined {
  const text = attachment.spec?.config
  // The configuration then lies in a file on the nodes.
  if (text === undefined || text.trim() === '') return undefined
  const plugin = mainPlugin(text)
  const why = plugin === undefined ? 'its spec.config is not the JSON of a CNI network' : defectOf(plugin, forDhcp)
  if (why === undefined) return undefined
  return { reason: 'NetworkAttachmentUnusable', message: `NetworkAttachmentDefinition ${name}: ${why}` }
}

function mainPlugin(text: string): Plugin | undefined {
  try {
    const config: unknown = JSON.parse(text)
    if (!isFields(config)) return undefined
    const first: unknown = Array.isArray(config.plugins) ? config.plugins[0] : config
    return isFields(first) ? first : undefined
  } catch {
    return undefined
  }
}

function defectOf({ type, mode, subnets, capabilities, ipam }: Plugin, forDhcp: boolean): string | undefined {
  if (type === 'ovn-k8s-cni-overlay') {
    if (subnets === undefined || subnets === '') return undefined
    return 'it has subnets, and OVN-Kubernetes then allows no address that a pod asks for: leave subnets out'
  }
  if (type === 'ipvlan' && forDhcp && (mode === 'l3' || mode === 'l3s')) {
    return `ipvlan in mode ${mode} carries no broadcasts, so DHCP hears nothing: use mode l2`
  }
  if (!isFields(ipam) || ipam.type === undefined) {
    return 'it has no IPAM, so pods get no address there: make a second one for the same wire with "ipam": {"type": "static"} and "capabilities": {"ips": true}'
  }
  if (ipam.type === 'static' && capabilities?.ips !== true) {
    return 'static IPAM is told no address: add "capabilities": {"ips": true} to the plugin'
  }
  return undefined
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
