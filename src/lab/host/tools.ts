import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { toolPath } from './command.ts'

/** A program the lab or the tests run, and the Debian package that has it. */
export interface Tool {
  readonly command: string
  readonly package: string
  /** The lab runs without it, and says what it leaves out. */
  readonly optional?: true
}

/** What the lab itself runs. */
export const labTools: readonly Tool[] = [
  { command: 'ip', package: 'iproute2' },
  { command: 'nsenter', package: 'util-linux' },
  { command: 'unshare', package: 'util-linux' },
  { command: 'setpriv', package: 'util-linux' },
  { command: 'mount', package: 'mount' },
  { command: 'hostname', package: 'hostname' },
  { command: 'dhclient', package: 'isc-dhcp-client' },
  { command: 'udhcpc', package: 'udhcpc' },
  { command: 'dhcpcd', package: 'dhcpcd-base' },
  { command: 'curl', package: 'curl' },
  { command: 'openssl', package: 'openssl' },
  { command: 'busybox', package: 'busybox-static' },
  { command: 'perl', package: 'perl-base', optional: true },
  { command: 'tcpdump', package: 'tcpdump', optional: true },
  { command: 'qemu-system-x86_64', package: 'qemu-system-x86', optional: true },
]

/** What the lab's Kubernetes runs; etcd, the kubelet and its like come as binaries of their own. */
export const clusterTools: readonly Tool[] = [
  { command: 'runc', package: 'runc' },
  { command: 'nft', package: 'nftables' },
  { command: 'iptables', package: 'iptables' },
  { command: 'conntrack', package: 'conntrack' },
  // Beside the programs, not among them: /usr/bin/../lib/cni.
  { command: '../lib/cni/bridge', package: 'containernetworking-plugins' },
]

/** What only the tests run. */
export const testTools: readonly Tool[] = [
  { command: 'dig', package: 'bind9-dnsutils' },
  { command: 'kdig', package: 'knot-dnsutils' },
  { command: 'drill', package: 'ldnsutils' },
  { command: 'knotd', package: 'knot' },
  { command: 'named', package: 'bind9' },
  { command: 'dnsviz', package: 'dnsviz' },
  { command: 'zonemaster-cli', package: 'zonemaster-cli' },
  { command: '../lib/systemd/systemd-networkd', package: 'systemd' },
  { command: 'mkfs.ext4', package: 'e2fsprogs' },
  ...clusterTools,
]

/** Where the program is; undefined if it is not installed. */
export function findTool(command: string): string | undefined {
  return toolPath
    .split(':')
    .map((directory) => join(directory, command))
    .find(isExecutable)
}

export function missingPackages(tools: readonly Tool[]): string[] {
  return [...new Set(tools.filter((tool) => !findTool(tool.command)).map((tool) => tool.package))]
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
