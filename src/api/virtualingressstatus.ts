import { z } from 'zod'
import * as field from './fields.ts'
import { conditions, observedGeneration } from './meta.ts'

const resolvedBackend = z.strictObject({
  field: z.string().max(253).describe('Where in the spec the backend is.'),
  host: z.string().max(253).optional().describe('Host of its rule.'),
  path: z.string().max(2048).optional().describe('Its path.'),
  pathType: z.string().max(32).optional().describe('How that is compared.'),
  state: z
    .enum(['Resolved', 'NoMatch', 'Ambiguous', 'PortNotFound', 'NotPermitted', 'NotReady', 'Stale'])
    .describe('What came of looking for a Service.'),
  selector: z.string().max(8192).optional().describe('The labels that were asked for.'),
  namespace: field.label.optional().describe('Namespace of the Service.'),
  name: field.label.optional().describe('The Service that is used.'),
  uid: z.string().max(64).optional().describe('Its uid.'),
  port: z.string().max(63).optional().describe('Its port.'),
  candidates: z.array(field.label).max(16).optional().describe('Services that match, where they are several.'),
  since: field.timestamp.optional().describe('Since when it is so.'),
})

const loadBalancerIngress = z.strictObject({
  ip: field.ip.optional().describe('Address.'),
  hostname: z.string().max(253).optional().describe('Name.'),
  ports: z
    .array(
      z.strictObject({
        port: field.port.describe('Port.'),
        protocol: z.enum(['TCP', 'UDP', 'SCTP']).describe('Its protocol.'),
        error: z.string().max(316).optional().describe('Why it is not served.'),
      }),
    )
    .max(64)
    .optional()
    .describe('Ports that are served there.'),
})

const generatedObject = z.strictObject({
  name: field.objectName.describe('Its name.'),
  uid: z.string().max(64).describe('Its uid.'),
})

export const virtualIngressStatus = z
  .strictObject({
    summary: z.string().max(64).optional().describe('How many of the backends are resolved, e.g. 2/3.'),
    resolvedBackends: z
      .array(resolvedBackend)
      .max(1024)
      .optional()
      .describe('What came of each backend; of more than 1024 the first.'),
    generatedIngress: generatedObject.optional().describe('The Ingress that was made.'),
    generatedRoutes: z.array(generatedObject).max(1024).optional().describe('The HTTPRoutes that were made.'),
    loadBalancer: z
      .strictObject({
        ingress: z.array(loadBalancerIngress).max(64).optional().describe('Where the Ingress is reached.'),
      })
      .optional()
      .describe('Copied from the Ingress.'),
    conditions: conditions.optional(),
    observedGeneration: observedGeneration.optional(),
  })
  .describe('What was observed.')
