import { accessSync, constants, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseDuration } from '../core/net/duration.ts'
import { parseIpv4 } from '../core/net/ipv4.ts'
import { type LogLevel, logLevels } from '../runtime/observe/log.ts'
import type { Terminal } from './terminal.ts'

/** Options that several commands share, so that they read alike everywhere. */

export function outputOption(): Option {
  return new Option('-o, --output <format>', 'text for people, json for programs')
    .choices(['text', 'json'])
    .default('text')
}

/** Root keeps state where services keep it; anyone else in their own home. A single engine has its own part of it. */
export function stateDirOption(terminal: Terminal, engine = ''): Option {
  const home = terminal.env.XDG_STATE_HOME ?? join(homedir(), '.local', 'state')
  const fallback = join(terminal.userId === 0 ? '/var/lib' : home, 'oooi', engine)
  return new Option('--state-dir <dir>', 'where leases and the control socket are kept').default(fallback)
}

export function logLevelOption(): Option {
  return new Option('--log-level <level>', 'how much is logged, as JSON lines on standard error')
    .choices(logLevels)
    .default('info' satisfies LogLevel)
}

export function podAddressOption(engine?: string): Option {
  const text =
    engine === 'dhcp'
      ? 'as the other engines have it; DHCP is served on the VLAN alone'
      : 'also serve DNS (second view) and the proxy here; repeatable'
  return new Option('--pod-address <address>', text).argParser(collectAddresses).default([] as string[], 'none')
}

/** Where on a host what is served has its addresses. */
export interface AddressOptions {
  readonly interface?: string
  readonly addAddresses: boolean
}

export function addAddressOptions(command: Command): Command {
  return command
    .option('--interface <name>', 'the interface on the VLAN (default: the one that holds its addresses)')
    .option('--add-addresses', 'add missing addresses to the interface; needs the right to', false)
}

export function observeOption(): Option {
  return endpointOption('--observe <address:port>', '/healthz, /readyz and /metrics on TCP; keep it off the VLAN')
}

export function endpointOption(flags: string, text: string): Option {
  return new Option(flags, text).argParser(parseEndpoint)
}

export interface Endpoint {
  readonly host: string
  readonly port: number
}

export function parseAddressArgument(text: string): string {
  if (parseIpv4(text) === undefined) throw new InvalidArgumentError('It must be an IPv4 address.')
  return text
}

const firstMulticast = 0xe0000000

function collectAddresses(text: string, earlier: readonly string[]): string[] {
  const address = parseIpv4(text)
  if (address === undefined) throw new InvalidArgumentError('It must be an IPv4 address.')
  // 0.0.0.0 would mean the VLAN too, and from 224.0.0.0 on no address is that of a host.
  if (address === 0 || address >= firstMulticast) throw new InvalidArgumentError('It must be an address of this host.')
  if (earlier.includes(text)) throw new InvalidArgumentError('It is given twice.')
  return [...earlier, text]
}

function parseEndpoint(text: string): Endpoint {
  const [host = '', portText = '', ...rest] = text.split(':')
  const port = Number(portText)
  const isPort = /^\d+$/.test(portText) && port <= 65535
  if (parseIpv4(host) === undefined || !isPort || rest.length > 0) {
    throw new InvalidArgumentError('It must be an IPv4 address and a port, e.g. 127.0.0.1:9090.')
  }
  return { host, port }
}

/** How long open connections may take to end after SIGTERM. */
export function drainOption(): Option {
  return new Option('--drain <duration>', 'how long open connections may take to end after SIGTERM')
    .argParser(parseDurationArgument)
    .default(10_000, '10s')
}

/** Timers of Node end at once if they are longer than 24 days. */
const mostDrainMs = 7 * 24 * 3600 * 1000

function parseDurationArgument(text: string): number {
  const milliseconds = parseDuration(text)
  if (milliseconds === undefined) throw new InvalidArgumentError('It must be a duration such as 10s or 1m30s.')
  if (milliseconds > mostDrainMs) throw new InvalidArgumentError('It must be at most 168h, a week.')
  return milliseconds
}

/** A program of somebody else that oooi shall run; a bare name is looked for on PATH when it is started. */
export function programOption(flags: string, text: string): Option {
  return new Option(flags, text).argParser((path: string) => {
    if (path.includes('/') && !isProgram(path)) {
      throw new InvalidArgumentError('It must be a program that this user may run.')
    }
    return path
  })
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** `namespace/name`, as it was written. */
export function parseReferenceArgument(text: string): string {
  if (/^[a-z0-9][a-z0-9-]*\/[a-z0-9][a-z0-9.-]*$/.test(text)) return text
  throw new InvalidArgumentError('It must be <namespace>/<name>, e.g. clusters/example.')
}

/** To end when the work is done, or to stay: not both. */
export function stayOptions(): Option[] {
  return [
    new Option('--keep', 'stay up until SIGINT or SIGTERM, also without a terminal').conflicts('once'),
    new Option('--once', 'end when all VMs have booted or failed (default without a terminal)'),
  ]
}

export function parseNumber(text: string, least: number, most: number): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < least || value > most) {
    throw new InvalidArgumentError(`It must be a number from ${least} to ${most}.`)
  }
  return value
}
