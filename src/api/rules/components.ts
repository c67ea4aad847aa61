import type { DHCPServer } from '../dhcpserver.ts'
import type { DNSServer } from '../dnsserver.ts'
import type { ProxyServer } from '../proxyserver.ts'
import { hostAddressRules, notGatewayRule, single } from './addresses.ts'
import { backendListRules, backendRules } from './backends.ts'
import { dhcpNetworkRules, dhcpRules } from './dhcp.ts'
import { type Loose, type RuleGroup, rulesAt } from './rule.ts'
import { serverEntries, serverRules, serverTexts } from './servers.ts'

type NetworkOf<Kind extends { spec: { networkConfig: unknown } }> = Loose<Kind['spec']['networkConfig']>

const dhcpServerAddress = {
  name: 'dhcpAddress',
  field: 'serverIP',
  entries: (config: NetworkOf<DHCPServer>) => serverEntries('', config),
  network: (config: NetworkOf<DHCPServer>) => config,
  cel: { ...serverTexts(''), cidr: 'cidr' },
}

const dhcpPlaces = {
  rangePrefix: 'leaseConfig.',
  prefix: '',
  view: (spec: Loose<DHCPServer['spec']>) => ({ ...spec.networkConfig, ...spec.leaseConfig, tuning: spec }),
}

export const dhcpServerRules: readonly RuleGroup<DHCPServer>[] = [
  rulesAt('spec.networkConfig', ({ spec }) => [spec?.networkConfig], [
    ...hostAddressRules<NetworkOf<DHCPServer>>({
      name: 'gateway',
      field: 'gateway',
      entries: ({ gateway }) => single('gateway', gateway),
      network: (config) => config,
      cel: { texts: ['gateway'], cidr: 'cidr' },
    }),
    ...serverRules<NetworkOf<DHCPServer>>({ name: 'dhcp', prefix: '', server: (config) => config }),
    ...hostAddressRules(dhcpServerAddress),
    notGatewayRule(dhcpServerAddress),
  ]),
  rulesAt('spec', ({ spec }) => [spec], [
    ...dhcpNetworkRules({ ...dhcpPlaces, network: { cidr: 'networkConfig.cidr', gateway: 'networkConfig.gateway' } }),
    ...dhcpRules(dhcpPlaces),
  ]),
]

export const dnsServerRules: readonly RuleGroup<DNSServer>[] = [
  rulesAt('spec.networkConfig', ({ spec }) => [spec?.networkConfig], [
    ...serverRules<NetworkOf<DNSServer>>({ name: 'dns', prefix: '', server: (config) => config }),
    ...hostAddressRules<NetworkOf<DNSServer>>({
      name: 'dnsAddress',
      field: 'serverIP',
      entries: (config) => serverEntries('', config),
      network: ({ secondaryNetworkCIDR }) => ({ cidr: secondaryNetworkCIDR }),
      cidrField: 'secondaryNetworkCIDR',
      cel: { ...serverTexts(''), cidr: 'secondaryNetworkCIDR' },
    }),
  ]),
]

export const proxyServerRules: readonly RuleGroup<ProxyServer>[] = [
  rulesAt(
    'spec.networkConfig',
    ({ spec }) => [spec?.networkConfig],
    serverRules<NetworkOf<ProxyServer>>({ name: 'proxy', prefix: '', server: (config) => config }),
  ),
  rulesAt('spec.backends', ({ spec }) => [spec?.backends], backendListRules),
  rulesAt('spec.backends[]', ({ spec }) => spec?.backends ?? [], backendRules),
]
