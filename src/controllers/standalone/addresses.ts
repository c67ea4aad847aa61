import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { promisify } from 'node:util'
import { type Cidr, cidrContains, formatCidr } from '../../core/net/cidr.ts'
import { parseIpv4 } from '../../core/net/ipv4.ts'
import { failed, ok, type Problem, type Result } from '../../core/result.ts'

const run = promisify(execFile)

/** The IPv4 addresses this host has, by interface. */
export type HostAddresses = ReadonlyMap<string, readonly string[]>

export function readHostAddresses(): HostAddresses {
  const found = new Map(interfaceNames().map((name): [string, string[]] => [name, []]))
  for (const [name, entries] of Object.entries(networkInterfaces())) {
    found.set(
      name,
      (entries ?? []).filter((entry) => entry.family === 'IPv4').map((entry) => entry.address),
    )
  }
  return found
}

/** Node names only those that are up and have an address, which one that is to be given some need not. */
function interfaceNames(): string[] {
  try {
    const table = readFileSync('/proc/self/net/dev', 'utf8')
    return [...table.matchAll(/^\s*([^\s:]+):/gm)].map(([, name = '']) => name)
  } catch {
    return []
  }
}

export interface WantedAddresses {
  readonly addresses: readonly string[]
  readonly vlan: Cidr
  /** The interface on the VLAN; without it, the one that already holds an address of the VLAN. */
  readonly interfaceName?: string | undefined
}

export interface MissingAddresses {
  readonly interfaceName: string
  /** With the prefix length, as `ip address add` wants them. */
  readonly addresses: readonly string[]
}

/** Which of the wanted addresses are missing, and where they belong. Pure, so that every host can be thought of. */
export function findMissing(wanted: WantedAddresses, host: HostAddresses): Result<MissingAddresses> {
  const held = new Set([...host.values()].flat())
  // One address may serve several components.
  const addresses = [...new Set(wanted.addresses)]
  const missing = addresses.filter((address) => !held.has(address))
  const interfaceName = wanted.interfaceName ?? interfaceOnVlan(wanted.vlan, host)
  if (interfaceName === undefined) return failed(...missing.map((address) => noAddress(wanted, address)))
  const onInterface = host.get(interfaceName)
  if (onInterface === undefined) return failed(noInterface(interfaceName, host))
  const elsewhere = addresses.filter((address) => held.has(address) && !onInterface.includes(address))
  if (elsewhere.length > 0) return failed(...elsewhere.map((address) => onOtherInterface(address, interfaceName, host)))
  return ok({ interfaceName, addresses: missing.map((address) => `${address}/${wanted.vlan.prefixLength}`) })
}

function interfaceOnVlan(vlan: Cidr, host: HostAddresses): string | undefined {
  for (const [name, addresses] of host) {
    if (addresses.some((address) => cidrContains(vlan, parseIpv4(address) ?? -1))) return name
  }
  return undefined
}

function noAddress(wanted: WantedAddresses, address: string): Problem {
  return {
    reason: 'AddressMissing',
    message: `no interface of this host has ${address}, nor any address of ${formatCidr(wanted.vlan)}: add it, or name the VLAN interface with --interface and let --add-addresses do it`,
  }
}

export function addressNotAdded(missing: MissingAddresses): Problem[] {
  return missing.addresses.map((address) => ({
    reason: 'AddressMissing',
    message: `interface ${missing.interfaceName} does not have ${address}: run 'ip address add ${address} dev ${missing.interfaceName}', or use --add-addresses`,
  }))
}

function noInterface(name: string, host: HostAddresses): Problem {
  return {
    reason: 'InterfaceMissing',
    message: `this host has no interface ${name === '' ? '""' : name}; it has ${[...host.keys()].join(', ')}`,
  }
}

function onOtherInterface(address: string, interfaceName: string, host: HostAddresses): Problem {
  const holder = [...host].find(([, addresses]) => addresses.includes(address))?.[0]
  return {
    reason: 'AddressMissing',
    message: `${address} is on interface ${holder}, not on ${interfaceName}: move it, or leave --interface out`,
  }
}

/** Adds all of them, or none; the kernel's refusal is reported in its own words. */
export async function addAddresses(missing: MissingAddresses): Promise<Result<void>> {
  const added: string[] = []
  for (const address of missing.addresses) {
    try {
      await run('ip', ['address', 'add', address, 'dev', missing.interfaceName])
      added.push(address)
    } catch (error) {
      await removeAddresses({ ...missing, addresses: added })
      const text = error instanceof Error ? (error.message.split('\n').at(-2) ?? error.message) : String(error)
      return failed({
        reason: 'PermissionDenied',
        message: `cannot add ${address} to ${missing.interfaceName} (${text}): add it yourself, or give oooi CAP_NET_ADMIN`,
      })
    }
  }
  return ok()
}

/** Best effort: at the end of a run an address that is already gone is no problem. */
export async function removeAddresses(added: MissingAddresses): Promise<void> {
  for (const address of added.addresses) {
    await run('ip', ['address', 'del', address, 'dev', added.interfaceName]).catch(() => undefined)
  }
}
