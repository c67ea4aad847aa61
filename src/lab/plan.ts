/**
 * What a lab looks like, decided before anything is made: names, addresses, machines. All addresses live inside
 * namespaces, so every lab on a host can use the same ones.
 */

export const dhcpClients = ['dhclient', 'udhcpc', 'dhcpcd'] as const
export type DhcpClient = (typeof dhcpClients)[number]

/** A namespace VM runs one of the DHCP clients; the QEMU VM runs a kernel of its own. */
export type VmClient = DhcpClient | 'qemu'

export interface VmPlan {
  readonly name: string
  readonly client: VmClient
  readonly mac: string
  /** Only where the reservation names one; the others are given one out of the range. */
  readonly address?: string
}

export interface LabPlan {
  /** First part of every namespace's name. */
  readonly id: string
  readonly domain: string
  readonly clusterName: string
  readonly baseDomain: string
  readonly vlan: typeof vlan
  readonly pods: typeof pods
  /** A name only the upstream resolver knows, and its address. */
  readonly elsewhere: { readonly name: string; readonly address: string }
  readonly vms: readonly VmPlan[]
}

const vlan = {
  cidr: '192.168.100.0/24',
  prefixLength: 24,
  /** A router that routes nowhere: the VLAN is isolated. */
  gateway: '192.168.100.1',
  dhcp: '192.168.100.2',
  dns: '192.168.100.3',
  proxy: '192.168.100.4',
  apps: '192.168.100.10',
  reserved: '192.168.100.15',
  rangeStart: '192.168.100.20',
  rangeEnd: '192.168.100.249',
} as const

const pods = {
  cidr: '10.128.0.0/24',
  prefixLength: 24,
  gateway: '10.128.0.1',
  oooi: '10.128.0.2',
  api: '10.128.0.10',
  oauth: '10.128.0.11',
  ignition: '10.128.0.12',
  konnectivity: '10.128.0.13',
  resolver: '10.128.0.53',
} as const

/**
 * All namespaces of a host share one table of neighbours, by default of 1024 entries (net.ipv4.neigh.default.gc_thresh3),
 * and a machine needs about seven: those it talks to, and those who answer it.
 */
export const maxNamespaceVms = 100

export function planLab(id: string, namespaceVms: number, withQemu: boolean): LabPlan {
  const vms: VmPlan[] = []
  for (let number = 1; number <= namespaceVms; number++) {
    const client = dhcpClients[(number - 1) % dhcpClients.length] ?? 'dhclient'
    const reserved = number === 1 ? { address: vlan.reserved } : {}
    vms.push({ name: `worker-${number}`, client, mac: macOf(number), ...reserved })
  }
  if (withQemu) vms.push({ name: 'worker-qemu', client: 'qemu', mac: macOf(0) })
  const [clusterName, baseDomain] = ['lab', 'example.test']
  return {
    id,
    domain: `${clusterName}.${baseDomain}`,
    clusterName,
    baseDomain,
    vlan,
    pods,
    elsewhere: { name: `registry.${baseDomain}`, address: '203.0.113.7' },
    vms,
  }
}

/** Locally administered, and the same for the same machine in every run. */
function macOf(number: number): string {
  const octet = (value: number): string => value.toString(16).padStart(2, '0')
  return `02:00:6f:6f:${octet(number >> 8)}:${octet(number & 255)}`
}

/** Namespaces of the lab, by what is in them. */
export function namespaceOf(plan: LabPlan, what: string): string {
  return `${plan.id}-${what}`
}
