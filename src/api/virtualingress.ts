import { z } from 'zod'
import * as field from './fields.ts'
import { resource } from './meta.ts'
import { virtualIngressBackend } from './virtualingressbackend.ts'
import { virtualIngressStatus } from './virtualingressstatus.ts'

const absolutePath = field.text({
  maxLength: 2048,
  expected: 'a path that begins with /',
  accepts: (path) => path.startsWith('/'),
  cel: "self.startsWith('/')",
})

const path = z
  .strictObject({
    path: absolutePath.optional().describe('Path of the request.'),
    pathType: z
      .enum(['Exact', 'Prefix', 'ImplementationSpecific'])
      .describe('How the path is compared with that of a request.'),
    backend: virtualIngressBackend.describe('Where matching requests go.'),
  })
  .describe('One path and where it leads.')

/** Whether hosts and paths make sense is the API server's to say about the Ingress that comes out. */
const rule = z
  .strictObject({
    host: z.string().max(253).optional().describe('Host of the request; none: any.'),
    http: z
      .strictObject({ paths: z.array(path).min(1).max(64).describe('The paths of this host.') })
      .optional()
      .describe('Paths and where they lead.'),
  })
  .describe('What happens to requests for one host.')

const tls = z
  .strictObject({
    hosts: z.array(z.string().max(253)).max(64).optional().describe('Hosts of the certificate.'),
    secretName: field.objectName.optional().describe('Secret that holds the certificate.'),
  })
  .describe('A certificate and its hosts.')

const selection = z
  .strictObject({
    multipleMatches: z
      .enum(['Error', 'Newest', 'Oldest', 'FirstByName'])
      .optional()
      .describe(
        'Which Service is taken when several match; Error: none, but one that is in use stays. Default: what the operator was told, else Error.',
      ),
    noMatch: z
      .enum(['Hold', 'Unavailable', 'Withdraw'])
      .optional()
      .describe(
        'When none matches: Hold leaves the last one, Unavailable answers 503, Withdraw removes the Ingress. Default: what the operator was told, else Hold.',
      ),
    requireReadyEndpoints: z
      .boolean()
      .optional()
      .describe('Take a Service only once it has a ready endpoint. Default: what the operator was told, else false.'),
  })
  .describe('How Services are chosen.')

const parentRef = z
  .strictObject({
    group: z.string().max(253).optional().describe('Its API group; default: gateway.networking.k8s.io.'),
    kind: z.string().min(1).max(63).optional().describe('Its kind; default: Gateway.'),
    namespace: field.label.optional().describe('Its namespace; default: that of this object.'),
    name: field.objectName.describe('Its name.'),
    sectionName: field.objectName.optional().describe('Its listener; default: all.'),
    port: field.port.optional().describe('The port of its listeners; default: any.'),
  })
  .describe('A Gateway that the HTTPRoute is attached to.')

const generated = z
  .strictObject({
    name: field.objectName.optional().describe('Its name; default: the name of this object and -generated.'),
    labels: field.stringMap.optional().describe('Labels for it, beside those of this object.'),
    annotations: field.stringMap.optional().describe('Annotations for it, beside those of this object.'),
  })
  .describe('The Ingress or HTTPRoute that is made.')

const spec = z
  .strictObject({
    ingressClassName: field.objectName.optional().describe('IngressClass; none: the default one of the cluster.'),
    defaultBackend: virtualIngressBackend.optional().describe('Where requests go that no rule matches.'),
    rules: z.array(rule).max(64).optional().describe('Hosts, paths and where they lead.'),
    tls: z.array(tls).max(64).optional().describe('Certificates; copied as they are.'),
    output: z
      .enum(['Ingress', 'HTTPRoute'])
      .default('Ingress')
      .describe('What is made: an Ingress, or HTTPRoutes of the Gateway API.'),
    parentRefs: z.array(parentRef).max(32).optional().describe('The Gateways, for output HTTPRoute.'),
    selection: selection.optional(),
    generated: generated.optional(),
    suspend: z.boolean().default(false).describe('Change nothing; the status shows what would be done.'),
  })
  .describe('An Ingress whose backends are Services chosen by label.')

export const virtualIngressSchema = resource({
  kind: 'VirtualIngress',
  // `<name>-generated` is a name too.
  name: field.objectNameOfAtMost(243),
  spec,
  status: virtualIngressStatus,
})

/** A VirtualIngress with all defaults applied. */
export type VirtualIngress = z.output<typeof virtualIngressSchema>
/** A VirtualIngress as a person writes it. */
export type VirtualIngressInput = z.input<typeof virtualIngressSchema>
