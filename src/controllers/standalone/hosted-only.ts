import type { AttachedInfra, Remark } from '../../core/plan/attached.ts'

/** On a host there is no management cluster through which a hosted one could be asked. */
export function needsHostedCluster({ infra, attachments }: AttachedInfra): Remark[] {
  const claiming = attachments.length > 0 ? attachments : [infra]
  return claiming.flatMap((about): Remark[] => {
    const { appsIngress } = about.spec
    if (!appsIngress?.enabled || appsIngress.address !== undefined) return []
    const message = 'is needed outside Kubernetes, where no hosted cluster is asked for it'
    return [{ about, reason: 'InvalidField', field: 'spec.appsIngress.address', message }]
  })
}

/** What is switched on but cannot be done here. */
export function kubernetesOnly({ infra, attachments }: AttachedInfra): Remark[] {
  const places = [
    { about: infra, field: 'spec.infraComponents.proxy.externalService', ...infra.spec.infraComponents.proxy },
    ...attachments.map((about) => ({ about, field: 'spec.externalService', ...about.spec })),
  ]
  const message = 'has no effect outside Kubernetes, where there are no Services: give users outside a way of their own'
  return places.flatMap(({ about, field, externalService }): Remark[] =>
    externalService?.enabled ? [{ about, reason: 'FieldIgnored', field, message }] : [],
  )
}
