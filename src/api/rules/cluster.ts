import { type Cel, field as celField, missing, or } from '../cel.ts'
import type { Infra } from '../infra.ts'
import type { Loose, Rule } from './rule.ts'

/** Rules about the fields that describe one hosted cluster, in an Infra or in an attachment. */

type AppsIngress = Loose<NonNullable<Infra['spec']['appsIngress']>>

/** A HostedCluster is not asked for here: it may be the owner of the object, which is known at run time only. */
export const appsIngressHasAddress: Rule<{ readonly appsIngress?: AppsIngress | undefined }> = {
  name: 'appsIngressHasAddress',
  field: 'appsIngress.address',
  message: 'is needed, or metallb.addressPoolName from which a hosted cluster takes it',
  cel: or(
    missing('appsIngress'),
    '!self.appsIngress.enabled',
    'has(self.appsIngress.address)',
    'has(self.appsIngress.metallb) && has(self.appsIngress.metallb.addressPoolName)',
  ),
  check: ({ appsIngress }) =>
    !appsIngress?.enabled || appsIngress.address !== undefined || appsIngress.metallb?.addressPoolName !== undefined,
}

interface DomainFields {
  readonly clusterName?: string | undefined
  readonly baseDomain?: string | undefined
}

/** `prefix` is where these fields are: empty, or ending in a dot. */
export function domainRule<Value>(prefix: string, domain: (value: Value) => DomainFields | undefined): Rule<Value> {
  const has = (name: keyof DomainFields): Cel => `has(${celField(`${prefix}${name}`)})`
  return {
    name: 'domainComplete',
    field: `${prefix}clusterName`,
    message: 'and baseDomain must be given together: the domain of the cluster is clusterName.baseDomain',
    cel: or(missing(prefix), `${has('clusterName')} == ${has('baseDomain')}`),
    check: (value) => (domain(value)?.clusterName === undefined) === (domain(value)?.baseDomain === undefined),
  }
}
