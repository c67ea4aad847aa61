import type { Problem } from '../result.ts'

/** A NetworkAttachmentDefinition as far as it is looked at. */
export interface AttachmentView {
  readonly spec?: { readonly config?: string } | undefined
}

interface Plugin {
  readonly type?: unknown
  readonly mode?: unknown
  readonly subnets?: unknown
  readonly topology?: unknown
  readonly role?: unknown
  readonly macspoofchk?: unknown
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

/** What works with this definition, but has surprised people. */
export function attachmentRemarks(name: string, attachment: AttachmentView): Problem[] {
  const plugin = mainPlugin(attachment.spec?.config ?? '')
  if (!plugin) return []
  return trapsOf(plugin).map((why) => ({
    reason: 'NetworkAttachmentUnusual',
    message: `NetworkAttachmentDefinition ${name}: ${why}`,
  }))
}

function trapsOf({ type, ipam, topology, macspoofchk }: Plugin): string[] {
  const traps: string[] = []
  if (isFields(ipam) && ipam.type !== undefined && ipam.type !== 'static') {
    traps.push(`IPAM ${JSON.stringify(ipam.type)} may give pods another address than they ask for: use static`)
  }
  if (type === 'macvlan' || type === 'ipvlan') {
    traps.push(`${type} does not reach the node it runs on, and its master must not be the port of a bridge`)
  }
  if (type === 'ovn-k8s-cni-overlay' && topology === 'layer2') {
    traps.push(
      'a layer2 overlay reaches no VLAN outside the cluster, and is not supported for hosted nodes: use localnet',
    )
  }
  if (type === 'bridge' && macspoofchk === true) {
    traps.push('macspoofchk drops what machines send under further hardware addresses')
  }
  return traps
}

/**
 * Does a machine on this definition ask our DHCP server? With IPAM the pod that runs it has an address, and then KubeVirt
 * answers its DHCP itself, with the DNS of the pod.
 */
export function machineNetworkProblem(name: string, attachment: AttachmentView): Problem | undefined {
  const plugin = mainPlugin(attachment.spec?.config ?? '')
  if (!plugin || !isFields(plugin.ipam) || plugin.ipam.type === undefined) return undefined
  const message = `NetworkAttachmentDefinition ${name} has IPAM, so KubeVirt answers the DHCP of machines itself and they never reach oooi: make one without "ipam" for machines`
  return { reason: 'NetworkAttachmentUnusable', message }
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

function defectOf(
  { type, mode, subnets, role, topology, capabilities, ipam }: Plugin,
  forDhcp: boolean,
): string | undefined {
  if (type === 'ovn-k8s-cni-overlay') {
    if (role === 'primary') return 'it is the primary network of its namespace, where pods cannot ask for an address'
    if (topology === 'layer3') return 'it is a layer3 network, with a subnet for each node: use topology localnet'
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
