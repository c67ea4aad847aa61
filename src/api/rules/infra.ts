import { and, type Cel, field as celField, every, missing, or, withoutPrefixLength } from '../cel.ts'
import type { Infra } from '../infra.ts'
import { hostAddressRules, notGatewayRule, parseServerAddress, single } from './addresses.ts'
import { backendListRules, backendRules } from './backends.ts'
import { appsIngressHasAddress, domainRule } from './cluster.ts'
import { type DhcpView, dhcpNetworkRules, dhcpRules } from './dhcp.ts'
import { distinctRule, entriesOf } from './entries.ts'
import { type Loose, type Rule, type RuleGroup, rulesAt } from './rule.ts'
import { addressKeys, type ServerFields, serverEntries, serverRules, serverTexts } from './servers.ts'

type Spec = Loose<Infra['spec']>
type Network = Loose<Infra['spec']['networkConfig']>
type Components = Loose<Infra['spec']['infraComponents']>
type Dhcp = NonNullable<Components['dhcp']>
type Dns = NonNullable<Components['dns']>
type Proxy = NonNullable<Components['proxy']>

const componentNames = ['dhcp', 'dns', 'proxy'] as const
type ComponentName = (typeof componentNames)[number]

interface Switch {
  readonly enabled?: boolean | undefined
}

/** A component that is to run; rules have nothing to say about one that is not. */
function ifRunning<Component extends Switch>(component: Component | undefined) {
  return component?.enabled === false ? undefined : component
}

/** The opposite for the API server, which has filled in `enabled` before it checks. */
function notRunning(name: ComponentName, components: Cel = 'self.infraComponents'): Cel {
  return `!${components}.?${name}.?enabled.orValue(false)`
}

/** The same where the component itself is what a rule is given. */
const isOff = '!self.enabled'

const networkRules: readonly Rule<Network>[] = [
  ...hostAddressRules<Network>({
    name: 'gateway',
    field: 'gateway',
    entries: ({ gateway }) => single('gateway', gateway),
    network: (network) => network,
    cel: { texts: ['gateway'], cidr: 'cidr' },
  }),
  {
    name: 'oneNetworkForm',
    field: 'attachment',
    message: 'must not be given beside networkAttachmentDefinition and networkAttachmentNamespace: they say the same',
    cel: '!has(self.attachment) || !has(self.networkAttachmentDefinition) && !has(self.networkAttachmentNamespace)',
    check: (network) =>
      network.attachment === undefined ||
      (network.networkAttachmentDefinition === undefined && network.networkAttachmentNamespace === undefined),
  },
  {
    name: 'structuredFormHasAttachment',
    field: 'attachment',
    message: 'is needed with topology, role, exposure, ipam or routeAdvertisementsRef',
    cel: 'has(self.attachment) || !has(self.topology) && !has(self.role) && !has(self.exposure) && !has(self.ipam) && !has(self.routeAdvertisementsRef)',
    check: (network) =>
      network.attachment !== undefined ||
      [network.topology, network.role, network.exposure, network.ipam, network.routeAdvertisementsRef].every(
        (value) => value === undefined,
      ),
  },
  {
    name: 'hasNetworkAttachment',
    only: 'cluster',
    field: 'networkAttachmentDefinition',
    message: 'is needed (or attachment): pods reach the VLAN through it',
    cel: 'has(self.networkAttachmentDefinition) || has(self.attachment)',
    check: (network) => network.networkAttachmentDefinition !== undefined || network.attachment !== undefined,
  },
]

const vlan = { cidr: 'networkConfig.cidr', gateway: 'networkConfig.gateway' }

/** Where the components are to be in the network. */
function addressRules(name: ComponentName): Rule<Spec>[] {
  const prefix = `infraComponents.${name}.`
  const addresses = {
    name: `${name}Address`,
    field: `${prefix}serverIP`,
    entries: (spec: Spec) => placesOf(spec.infraComponents, name, prefix),
    network: (spec: Spec) => spec.networkConfig ?? {},
    cel: { ...vlan, ...serverTexts(prefix), unless: notRunning(name), given: `infraComponents.${name}` },
  }
  return [...hostAddressRules(addresses), notGatewayRule(addresses)]
}

const dhcpComponentRules: readonly Rule<Dhcp>[] = [
  ...serverRules<Dhcp>({ name: 'dhcp', prefix: '', server: ifRunning, unless: isOff }),
  ...(['rangeStart', 'rangeEnd'] as const).map(
    (end): Rule<Dhcp> => ({
      name: `${end}Given`,
      field: end,
      message: 'is needed: DHCP gives out addresses from rangeStart to rangeEnd',
      cel: or(isOff, `has(self.${end})`),
      check: (dhcp) => ifRunning(dhcp) === undefined || dhcp[end] !== undefined,
    }),
  ),
  ...dhcpRules<Dhcp>({ rangePrefix: '', prefix: '', view: dhcpView, unless: isOff }),
]

const dnsComponentRules: readonly Rule<Dns>[] = [
  ...serverRules<Dns>({ name: 'dns', prefix: '', server: ifRunning, unless: isOff }),
  domainRule<Dns>('', (dns) => dns),
]

const proxyComponentRules: readonly Rule<Proxy>[] = [
  ...serverRules<Proxy>({ name: 'proxy', prefix: '', server: ifRunning, unless: isOff }),
]

function dhcpView(component: Dhcp | undefined): DhcpView {
  const dhcp = ifRunning(component)
  return { rangeStart: dhcp?.rangeStart, rangeEnd: dhcp?.rangeEnd, tuning: dhcp }
}

const componentAddressesDistinct = distinctRule<Components>({
  name: 'componentAddressesDistinct',
  only: 'cluster',
  field: '',
  message: 'is the address of another component too: each is a pod of its own',
  subject: 'an address',
  cel: and(
    ...(
      [
        ['dhcp', 'dns'],
        ['dhcp', 'proxy'],
        ['dns', 'proxy'],
      ] as const
    ).map(([one, other]) =>
      or(
        notRunning(one, 'self'),
        notRunning(other, 'self'),
        everyAddressOf(one, '', (address) => everyAddressOf(other, '', (taken) => `${address} != ${taken}`)),
      ),
    ),
  ),
  keys: (components) => componentAddresses(components, ''),
})

const specRules: readonly Rule<Spec>[] = [
  ...componentNames.flatMap(addressRules),
  ...dhcpNetworkRules<Spec>({
    rangePrefix: 'infraComponents.dhcp.',
    prefix: 'infraComponents.dhcp.',
    view: (spec) => ({ ...spec.networkConfig, ...dhcpView(spec.infraComponents?.dhcp) }),
    network: { ...vlan, unless: notRunning('dhcp'), given: 'infraComponents.dhcp' },
  }),
  distinctRule({
    name: 'targetsDistinct',
    field: 'infraComponents.proxy.targets',
    message: 'has a target already',
    cel: { keptBy: 'targets is a map by name' },
    keys: ({ infraComponents }) =>
      entriesOf('infraComponents.proxy.targets', infraComponents?.proxy?.targets).flatMap(({ field, item }) =>
        single(`${field}.name`, item.name),
      ),
  }),
  appsIngressHasAddress,
  {
    name: 'appsIngressAddressIsItsOwn',
    field: 'appsIngress.address',
    message: 'must differ from networkConfig.gateway and from the addresses of DHCP, DNS and proxy',
    cel: or(
      missing('appsIngress.address'),
      and(
        or(missing(vlan.gateway), `self.appsIngress.address != ${celField(vlan.gateway)}`),
        ...componentNames.map((name) =>
          or(
            notRunning(name),
            everyAddressOf(name, 'infraComponents.', (taken) => `self.appsIngress.address != ${taken}`),
          ),
        ),
      ),
    ),
    check: (spec) => {
      const address = parseServerAddress(spec.appsIngress?.address)
      const taken = componentAddresses(spec.infraComponents, 'infraComponents.').map(({ item }) => item)
      return address === undefined || ![parseServerAddress(spec.networkConfig?.gateway), ...taken].includes(address)
    },
  },
]

/** Of a component that runs; `prefix` is where the components are. */
function everyAddressOf(name: ComponentName, prefix: string, check: (address: Cel) => Cel): Cel {
  const { texts } = serverTexts(`${prefix}${name}.`)
  const start = { given: `${prefix}${name}` }
  return and(...texts.map((path) => every(path, (text) => check(withoutPrefixLength(text)), `${name}IP`, start)))
}

function componentAddresses(components: Components | undefined, prefix: string) {
  return componentNames.flatMap((name) => addressKeys(placesOf(components, name, `${prefix}${name}.`)))
}

/** The addresses of one component, if it is to run; `prefix` is where its fields are. */
function placesOf(components: Components | undefined, name: ComponentName, prefix: string) {
  const component: (ServerFields & Switch) | undefined = components?.[name]
  return serverEntries(prefix, ifRunning(component))
}

export const infraRules: readonly RuleGroup<Infra>[] = [
  rulesAt('spec.networkConfig', ({ spec }) => [spec?.networkConfig], networkRules),
  rulesAt('spec', ({ spec }) => [spec], specRules),
  rulesAt('spec.infraComponents', ({ spec }) => [spec?.infraComponents], [componentAddressesDistinct]),
  rulesAt('spec.infraComponents.dhcp', ({ spec }) => [spec?.infraComponents?.dhcp], dhcpComponentRules),
  rulesAt('spec.infraComponents.dns', ({ spec }) => [spec?.infraComponents?.dns], dnsComponentRules),
  rulesAt('spec.infraComponents.proxy', ({ spec }) => [spec?.infraComponents?.proxy], proxyComponentRules),
  rulesAt(
    'spec.infraComponents.proxy.backends',
    ({ spec }) => [spec?.infraComponents?.proxy?.backends],
    backendListRules,
  ),
  rulesAt(
    'spec.infraComponents.proxy.backends[]',
    ({ spec }) => spec?.infraComponents?.proxy?.backends ?? [],
    backendRules,
  ),
]
