import { and, type Cel, field as celField, every, missing, or, withoutPrefixLength } from '../cel.ts'
import type { Infra } from '../infra.ts'
import { hostAddressRules, notGatewayRule, parseServerAddress, single } from './addresses.ts'
import { backendListRules, backendRules } from './backends.ts'
import { appsIngressHasAddress, domainRule } from './cluster.ts'
import { dhcpRules } from './dhcp.ts'
import { distinctRule, entriesOf } from './entries.ts'
import { type Loose, type Rule, type RuleGroup, rulesAt } from './rule.ts'
import { addressKeys, serverEntries, serverRules, serverTexts } from './servers.ts'

type Spec = Loose<Infra['spec']>
type Network = Loose<Infra['spec']['networkConfig']>

const componentNames = ['dhcp', 'dns', 'proxy'] as const
type ComponentName = (typeof componentNames)[number]

/** A component that is to run; rules have nothing to say about one that is not. */
function running<Name extends ComponentName>(spec: Spec, name: Name) {
  const component = spec.infraComponents?.[name]
  return component?.enabled === false ? undefined : component
}

/** The opposite for the API server, which has filled in `enabled` before it checks. */
function notRunning(name: ComponentName): Cel {
  return or(missing(`infraComponents.${name}`), `!self.infraComponents.${name}.enabled`)
}

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

function componentRules(name: ComponentName): Rule<Spec>[] {
  const prefix = `infraComponents.${name}.`
  const addresses = {
    name: `${name}Address`,
    field: `${prefix}serverIP`,
    entries: (spec: Spec) => serverEntries(prefix, running(spec, name)),
    network: (spec: Spec) => spec.networkConfig ?? {},
    cel: { ...vlan, ...serverTexts(prefix), unless: notRunning(name) },
  }
  return [
    ...serverRules<Spec>({ name, prefix, server: (spec) => running(spec, name), unless: notRunning(name) }),
    ...hostAddressRules(addresses),
    notGatewayRule(addresses),
  ]
}

const specRules: readonly Rule<Spec>[] = [
  ...componentNames.flatMap(componentRules),
  distinctRule({
    name: 'componentAddressesDistinct',
    only: 'cluster',
    field: 'infraComponents',
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
          notRunning(one),
          notRunning(other),
          everyAddressOf(one, (address) => everyAddressOf(other, (taken) => `${address} != ${taken}`)),
        ),
      ),
    ),
    keys: componentAddresses,
  }),
  ...(['rangeStart', 'rangeEnd'] as const).map(
    (end): Rule<Spec> => ({
      name: `${end}Given`,
      field: `infraComponents.dhcp.${end}`,
      message: 'is needed: DHCP gives out addresses from rangeStart to rangeEnd',
      cel: or(notRunning('dhcp'), `has(self.infraComponents.dhcp.${end})`),
      check: (spec) => running(spec, 'dhcp') === undefined || running(spec, 'dhcp')?.[end] !== undefined,
    }),
  ),
  ...dhcpRules<Spec>({
    rangePrefix: 'infraComponents.dhcp.',
    prefix: 'infraComponents.dhcp.',
    view: (spec) => {
      const dhcp = running(spec, 'dhcp')
      return { ...spec.networkConfig, rangeStart: dhcp?.rangeStart, rangeEnd: dhcp?.rangeEnd, tuning: dhcp }
    },
    network: { ...vlan, unless: notRunning('dhcp') },
  }),
  domainRule<Spec>('infraComponents.dns', ({ infraComponents }) => infraComponents?.dns),
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
            everyAddressOf(name, (taken) => `self.appsIngress.address != ${taken}`),
          ),
        ),
      ),
    ),
    check: (spec) => {
      const address = parseServerAddress(spec.appsIngress?.address)
      const taken = componentAddresses(spec).map(({ item }) => item)
      return address === undefined || ![parseServerAddress(spec.networkConfig?.gateway), ...taken].includes(address)
    },
  },
]

function everyAddressOf(name: ComponentName, check: (address: Cel) => Cel): Cel {
  const { texts } = serverTexts(`infraComponents.${name}.`)
  return and(...texts.map((path) => every(path, (text) => check(withoutPrefixLength(text)), `${name}IP`)))
}

function componentAddresses(spec: Spec) {
  return componentNames.flatMap((name) => addressKeys(serverEntries(`infraComponents.${name}.`, running(spec, name))))
}

export const infraRules: readonly RuleGroup<Infra>[] = [
  rulesAt('spec.networkConfig', ({ spec }) => [spec?.networkConfig], networkRules),
  rulesAt('spec', ({ spec }) => [spec], specRules),
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
