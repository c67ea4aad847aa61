import type { DHCPServer } from '../../../api/dhcpserver.ts'
import { broadcastOf, type Cidr, isHostAddress, netmask, parseCidr } from '../../../core/net/cidr.ts'
import { parseIpv4 } from '../../../core/net/ipv4.ts'
import { failed, ok, type Problem, type Result } from '../../../core/result.ts'
import { option } from '../codec/numbers.ts'
import { encodeAddresses, encodeDomains, encodeNumbers, encodeRoutes, type Route } from './encode.ts'
import { parseOption } from './forms.ts'

type Spec = DHCPServer['spec']

export interface SharedOptionsInput {
  readonly title: string
  readonly cidr: Cidr
  readonly gateway: number | undefined
  readonly dnsServers: readonly number[]
  readonly clientOptions: Spec['clientOptions']
  readonly options: Spec['options']
}

/** What every client is told alike, by code. */
export type SharedOptions = ReadonlyMap<number, Buffer>

const defaultRoute: Cidr = { network: 0, prefixLength: 0 }

/** In the order in which a client that asks for none in particular gets them. Options by number win. */
export function sharedOptions(input: SharedOptionsInput): Result<SharedOptions> {
  const options = new Map<number, Buffer>()
  const set = (code: number, value: Buffer | undefined) => {
    if (value !== undefined && value.length > 0) options.set(code, value)
  }
  const { cidr, gateway, dnsServers, clientOptions = {} } = input
  const { domainName, mtu, ntpServers, searchDomains, boot } = clientOptions
  set(option.subnetMask, encodeAddresses([netmask(cidr)]))
  set(option.router, encodeAddresses(gateway === undefined ? [] : [gateway]))
  set(option.domainNameServers, encodeAddresses(dnsServers))
  set(option.domainName, textOf(domainName))
  set(option.interfaceMtu, mtu === undefined ? undefined : encodeNumbers([mtu], 2))
  set(option.broadcastAddress, encodeAddresses(broadcastsOf(cidr)))
  set(option.timeServers, encodeAddresses(addressesOf(ntpServers)))
  set(option.domainSearch, encodeDomains(searchDomains ?? []))
  set(option.classlessRoutes, encodeRoutes(routesOf(clientOptions.routes, gateway)))
  set(option.bootServer, textOf(boot?.server))
  set(option.bootFile, textOf(boot?.file))

  const problems: Problem[] = []
  for (const [index, { code, value }] of (input.options ?? []).entries()) {
    const parsed = parseOption(code, value)
    if (parsed.ok) set(code, parsed.bytes)
    else problems.push(invalid(input.title, `spec.options[${index}].value`, code, value, parsed.expected))
  }
  return problems.length > 0 ? failed(...problems) : ok(options)
}

/** Networks of one or two hosts have none (RFC 3021). */
function broadcastsOf(cidr: Cidr): number[] {
  return isHostAddress(cidr, broadcastOf(cidr)) ? [] : [broadcastOf(cidr)]
}

/** Of whoever offers clients a service on their network: it has its address for itself. */
export function serviceAddresses({ clientOptions }: SharedOptionsInput): number[] {
  const { ntpServers, routes = [], boot } = clientOptions ?? {}
  const texts = [...(ntpServers ?? []), ...routes.map(({ via }) => via), boot?.server ?? '']
  return addressesOf(texts)
}

/** A client that takes these routes ignores the router of option 3 (RFC 3442), so they say it too. */
function routesOf(routes: NonNullable<Spec['clientOptions']>['routes'], gateway: number | undefined): Route[] {
  const given = (routes ?? []).flatMap(({ to, via }) => {
    const [network, router] = [parseCidr(to), parseIpv4(via)]
    return network === undefined || router === undefined ? [] : [{ to: network, via: router }]
  })
  const hasDefault = given.some(({ to }) => to.prefixLength === 0)
  return given.length === 0 || hasDefault || gateway === undefined
    ? given
    : [...given, { to: defaultRoute, via: gateway }]
}

function addressesOf(texts: readonly string[] | undefined): number[] {
  return (texts ?? []).flatMap((text) => parseIpv4(text) ?? [])
}

function textOf(text: string | undefined): Buffer | undefined {
  return text === undefined ? undefined : Buffer.from(text)
}

function invalid(title: string, field: string, code: number, value: string, expected: string): Problem {
  const message = `${title}: ${field} is ${JSON.stringify(value)} for option ${code}; expected ${expected}`
  return { reason: 'InvalidField', message, field }
}
