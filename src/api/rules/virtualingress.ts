import type { VirtualIngress } from '../virtualingress.ts'
import type { VirtualIngressBackend } from '../virtualingressbackend.ts'
import { distinctRule, entriesOf } from './entries.ts'
import { type Loose, type Rule, type RuleGroup, rulesAt, rulesAtEach } from './rule.ts'

type Spec = Loose<VirtualIngress['spec']>
type Tls = NonNullable<Spec['tls']>
type Backend = Loose<VirtualIngressBackend>
type Service = Loose<NonNullable<VirtualIngressBackend['service']>>
type Port = NonNullable<Service['port']>
type Expression = NonNullable<NonNullable<Service['matchExpressions']>[number]>

const specRules: readonly Rule<Spec>[] = [
  {
    name: 'leadsSomewhere',
    field: 'rules',
    message: 'are needed, or defaultBackend: where requests go',
    cel: 'has(self.defaultBackend) || has(self.rules) && self.rules.size() > 0',
    check: ({ defaultBackend, rules = [] }) => defaultBackend !== undefined || rules.length > 0,
  },
  {
    name: 'routeHasParents',
    field: 'parentRefs',
    message: 'are needed with output HTTPRoute, and only there: the Gateways that it is attached to',
    cel: "(has(self.output) && self.output == 'HTTPRoute') == (has(self.parentRefs) && self.parentRefs.size() > 0)",
    check: ({ output, parentRefs = [] }) => (output === 'HTTPRoute') === parentRefs.length > 0,
  },
]

const tlsRules: readonly Rule<Tls>[] = [
  distinctRule({
    name: 'tlsSecretsDistinct',
    field: '',
    message: 'is there twice: two certificates cannot have one Secret',
    subject: 'a secretName',
    cel: 'self.all(entry, !has(entry.secretName) || self.exists_one(other, has(other.secretName) && other.secretName == entry.secretName))',
    keys: (tls) =>
      entriesOf('', tls).flatMap(({ field, item: { secretName } }) =>
        secretName === undefined ? [] : [{ field: `${field}.secretName`, item: secretName }],
      ),
  }),
]

const backendRules: readonly Rule<Backend>[] = [
  {
    name: 'backendIsServiceOrResource',
    field: 'service',
    message: 'is needed, or services, or resource, and only one of them',
    cel: '[has(self.service), has(self.services), has(self.resource)].exists_one(one, one)',
    check: ({ service, services, resource }) =>
      [service, services, resource].filter((one) => one !== undefined).length === 1,
  },
]

function isSelected({ matchLabels, matchExpressions }: Service): boolean {
  return matchLabels !== undefined || matchExpressions !== undefined
}

const serviceRules: readonly Rule<Service>[] = [
  {
    name: 'serviceByNameOrLabels',
    field: 'name',
    message: 'is needed, or matchLabels or matchExpressions, and not both',
    cel: 'has(self.name) != (has(self.matchLabels) || has(self.matchExpressions))',
    check: (service) => (service.name !== undefined) !== isSelected(service),
  },
  {
    name: 'namespaceOnlyWithLabels',
    field: 'namespace',
    message: 'can only be given with matchLabels or matchExpressions: an Ingress cannot name a Service elsewhere',
    cel: '!has(self.__namespace__) || has(self.matchLabels) || has(self.matchExpressions)',
    check: (service) => service.namespace === undefined || isSelected(service),
  },
]

const portRules: readonly Rule<Port>[] = [
  {
    name: 'portByNumberOrName',
    field: '',
    message: 'needs number or name, and not both',
    cel: 'has(self.number) != has(self.name)',
    check: ({ number, name }) => (number === undefined) !== (name === undefined),
  },
]

const expressionRules: readonly Rule<Expression>[] = [
  {
    name: 'valuesFitOperator',
    field: 'values',
    message: 'are needed for In and NotIn, and not allowed for Exists and DoesNotExist',
    cel: "(self.operator in ['In', 'NotIn']) == (has(self.values) && self.values.size() > 0)",
    check: ({ operator, values = [] }) => (operator === 'In' || operator === 'NotIn') === values.length > 0,
  },
]

const backends = ['spec.defaultBackend', 'spec.rules[].http.paths[].backend']

export const virtualIngressRules: readonly RuleGroup<VirtualIngress>[] = [
  rulesAt('spec', ({ spec }) => [spec], specRules),
  rulesAt('spec.tls', ({ spec }) => [spec?.tls], tlsRules),
  ...backends.map((at): RuleGroup<VirtualIngress> => rulesAtEach(at, backendRules)),
  ...backends
    .flatMap((at) => [`${at}.service`, `${at}.services[]`])
    .flatMap((at): RuleGroup<VirtualIngress>[] => [
      rulesAtEach(at, serviceRules),
      rulesAtEach(`${at}.port`, portRules),
      rulesAtEach(`${at}.matchExpressions[]`, expressionRules),
    ]),
]
