import type { InfraClusterAttachment } from '../infraclusterattachment.ts'
import { appsIngressHasAddress, domainRule } from './cluster.ts'
import { type Loose, type RuleGroup, rulesAt } from './rule.ts'

type Spec = Loose<InfraClusterAttachment['spec']>

export const infraClusterAttachmentRules: readonly RuleGroup<InfraClusterAttachment>[] = [
  rulesAt('spec', ({ spec }) => [spec], [domainRule<Spec>('dns.', ({ dns }) => dns), appsIngressHasAddress]),
]
