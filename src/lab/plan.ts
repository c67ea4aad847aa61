/**
 * What a lab looks like, decided before anything is made: names, addresses, machines. All addresses live inside
 * namespaces, so every lab on a host can use the same ones.
 */

export const dhcpClients = ['dhclient', 'udhcpc', 'dhcpcd'] as const
export type DhcpClient = (typeof dhcpClients)[number]

/**
 * A namespace VM runs one of the DHCP clients. The others are QEMU's and run a kernel of their own: one that QEMU is
 * given, or one that the firmware of the network card fetches (`pxe`).
 */
export type VmClient = DhcpClient | 'qemu' | 'pxe'

/** How many machines of which sort. */
export interface VmCounts {
  readonly namespaceVms: number
  readonly qemuVms: number
  /** Machines that boot from the network; none by default. */
  readonly pxeVms?: number
}

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
  /** Where machines boot from, if there are any that boot from the network. */
  readonly boot?: { readonly server: string; readonly file: string }
  /** So many machines that they would not all find room in the host's table of neighbours; see `roomForNeighbours`. */
  readonly crowded: boolean
}

const vlan = {
  cidr: '192.168.100.0/24',
  prefixLength: 24,
  /** A router that routes nowhere: the VLAN is isolated. */
  gateway: '192.168.100.1',
  dhcp: '192.168.100.2',
  dns: '192.168.100.3',
  proxy: '192.168.100.4',
  boot: '192.168.100.5',
  apps: '192.168.100.10',
  reserved: '192.168.100.15',
  rangeStart: '192.168.100.20',
  rangeEnd: '192.168.100.249',
} as const

/** Hardware addresses of those on the VLAN that machines talk to. */
export const serverMacs = {
  gateway: '02:00:6f:6f:fe:01',
  oooi: '02:00:6f:6f:fe:02',
  apps: '02:00:6f:6f:fe:03',
  boot: '02:00:6f:6f:fe:04',
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

/** As many as the range has addresses for, beside those with a kernel of their own. */
export const maxNamespaceVms = 200
export const maxQemuVms = 8
export const maxPxeVms = 4

/**
 * All namespaces of a host share one table of neighbours, by default of 1024 entries (net.ipv4.neigh.default.gc_thresh3),
 * and a machine needs about eight: those it talks to, and those who answer it. Where there are more machines than this,
 * each is told the hardware addresses of the servers instead of learning them; such entries do not count.
 */
const roomForNeighbours = 100

export function planLab(id: string, { namespaceVms, qemuVms, pxeVms = 0 }: VmCounts): LabPlan {
  const vms: VmPlan[] = []
  for (let number = 1; number <= namespaceVms; number++) {
    const client = dhcpClients[(number - 1) % dhcpClients.length] ?? 'dhclient'
    const reserved = number === 1 ? { address: vlan.reserved } : {}
    vms.push({ name: `worker-${number}`, client, mac: macOf(number), ...reserved })
  }
  for (let number = 1; number <= qemuVms; number++) {
    vms.push({ name: numbered('worker-qemu', number), client: 'qemu', mac: macOf(0xff00 + number) })
  }
  for (let number = 1; number <= pxeVms; number++) {
    vms.push({ name: numbered('worker-pxe', number), client: 'pxe', mac: macOf(0xfd00 + number) })
  }
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
    ...(pxeVms > 0 ? { boot: { server: vlan.boot, file: 'boot.ipxe' } } : {}),
    crowded: namespaceVms > roomForNeighbours,
  }
}

export function wantsQemu({ qemuVms, pxeVms = 0 }: VmCounts): boolean {
  return qemuVms + pxeVms > 0
}

/** A machine of QEMU, with a console and nothing else that could be entered. */
export function hasOwnKernel({ client }: Pick<VmPlan, 'client'>): boolean {
  return client === 'qemu' || client === 'pxe'
}

function numbered(name: string, number: number): string {
  return number === 1 ? name : `${name}-${number}`
}

/** Locally administered, and the same for the same machine in every run. */
function macOf(number: number): string {
  const octet = (value: number): string => value.toString(16).padStart(2, '0')
  return `02:00:6f:6f:${octet(number >> 8)}:${octet(number & 255)}`
}

/** Namespaces of the lab, by what is in them. */
export function namespaceOf(lab: Pick<LabPlan, 'id'>, what: string): string {
  return `${lab.id}-${what}`
}
