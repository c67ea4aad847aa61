import { z } from 'zod'
import * as field from './fields.ts'

const maxLabels = 16

/** What can be no label matches no Service: it is not refused. */
const labelName = z.string().min(1).max(317)

const labelValue = z.string().max(63)

const matchLabels = z
  .record(labelName, labelValue)
  .refine((labels) => isBetween(1, Object.keys(labels).length, maxLabels), { error: `1 to ${maxLabels} labels` })
  .meta({
    minProperties: 1,
    maxProperties: maxLabels,
    'x-kubernetes-validations': [
      {
        rule: 'self.all(name, name.size() > 0 && name.size() <= 317)',
        message: 'must have names of 1 to 317 characters',
      },
    ],
  })

function isBetween(least: number, count: number, most: number): boolean {
  return count >= least && count <= most
}

const matchExpression = z
  .strictObject({
    key: labelName.describe('Name of the label.'),
    operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']).describe('How its value is judged.'),
    values: z.array(labelValue).max(16).optional().describe('The values, for In and NotIn.'),
  })
  .describe('A condition on one label.')

/** Also what the annotation of a plain Ingress says about one of its backends. */
export const serviceSelector = z.strictObject({
  matchLabels: matchLabels.optional().describe('Labels of the Service.'),
  matchExpressions: z
    .array(matchExpression)
    .min(1)
    .max(maxLabels)
    .optional()
    .describe('Further conditions on its labels.'),
  namespace: field.label
    .optional()
    .describe('Another namespace to look for the Service in; it must permit that. Only with labels.'),
  multipleMatches: z
    .enum(['Error', 'Newest', 'Oldest', 'FirstByName'])
    .optional()
    .describe('Instead of selection.multipleMatches, for this backend.'),
})

const service = serviceSelector
  .extend({
    name: field.label.optional().describe('Name of the Service, where it is known; instead of labels.'),
    port: z
      .strictObject({
        number: field.port.optional().describe('Its number.'),
        name: field.label.optional().describe('Its name.'),
      })
      .describe('Port of the Service, by number or by name.'),
  })
  .describe('A Service, by name or by labels.')

const weighted = service
  .extend({ weight: field.wholeNumber(0, 1_000_000).optional().describe('Its share of the requests; default: 1.') })
  .describe('One of several Services, with its share.')

export const virtualIngressBackend = z
  .strictObject({
    service: service.optional(),
    services: z
      .array(weighted)
      .min(1)
      .max(4)
      .optional()
      .describe('Several Services that share the requests, for output HTTPRoute; instead of service.'),
    resource: z
      .strictObject({
        apiGroup: z.string().max(253).optional().describe('API group of the object.'),
        kind: z.string().min(1).max(63).describe('Its kind.'),
        name: field.objectName.describe('Its name.'),
      })
      .optional()
      .describe('An object that the ingress controller knows, passed on as it is; instead of service.'),
  })
  .describe('Where requests go.')

export type VirtualIngressBackend = z.output<typeof virtualIngressBackend>
export type VirtualIngressService = z.output<typeof service>
export type ServiceSelector = z.output<typeof serviceSelector>
