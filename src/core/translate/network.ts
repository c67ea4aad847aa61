import type { Infra } from '../../api/infra.ts'
import type { Problem } from '../result.ts'

/** Networks on which no pod can have the address of a component, by what the Infra itself says of them. */
export function networkProblems({ spec: { networkConfig } }: Infra): Problem[] {
  const { role, topology } = networkConfig
  const reason = 'NetworkAttachmentUnusable'
  return [
    ...(role === 'Primary'
      ? [
          {
            reason,
            field: 'spec.networkConfig.role',
            message:
              '"Primary" is the network that pods have by themselves, where none can ask for its address: use one with role Secondary',
          } as const,
        ]
      : []),
    ...(topology === 'Layer3'
      ? [
          {
            reason,
            field: 'spec.networkConfig.topology',
            message:
              '"Layer3" has a subnet for each node and carries no broadcasts, so neither servers nor DHCP can be there: use Localnet',
          } as const,
        ]
      : []),
  ]
}

/** What is said of the network and does not go together with the rest. */
export function networkRemarks({ spec: { networkConfig, infraComponents } }: Infra): Problem[] {
  const { ipam } = networkConfig
  if (ipam === undefined || ipam === 'DHCP' || !infraComponents.dhcp?.enabled) return []
  const message = `spec.networkConfig.ipam: ${ipam} means that others give machines their addresses, and infraComponents.dhcp is on, which serves them too: switch it off, or set ipam to DHCP`
  return [{ reason: 'FieldIgnored', message }]
}
