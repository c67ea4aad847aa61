import { z } from 'zod'
import { generation, label, labelOfAtMost, listMapBy, sentence, timestamp } from './fields.ts'

export const apiGroup = 'hostedcluster.densityops.com'
export const apiVersion = `${apiGroup}/v1alpha1`

const ownerReference = z.strictObject({
  apiVersion: z.string().max(317),
  kind: z.string().max(63),
  name: z.string().max(253),
  uid: z.string().max(64),
  controller: z.boolean().optional(),
  blockOwnerDeletion: z.boolean().optional(),
})

/** The part of Kubernetes' ObjectMeta that can be in a file, including what `kubectl get -o yaml` adds to it. */
function metadata(name: z.ZodString) {
  return z.strictObject({
    name,
    namespace: label.optional(),
    labels: z.record(z.string().max(317), z.string().max(63)).optional(),
    annotations: z.record(z.string().max(317), z.string().max(262_144)).optional(),
    ownerReferences: z.array(ownerReference).max(64).optional(),
    finalizers: z.array(z.string().max(317)).max(64).optional(),
    uid: z.string().max(64).optional(),
    resourceVersion: z.string().max(64).optional(),
    generation: generation.optional(),
    creationTimestamp: timestamp.nullish(),
    deletionTimestamp: timestamp.optional(),
    deletionGracePeriodSeconds: generation.optional(),
    generateName: z.string().max(253).optional(),
    selfLink: z.string().max(1024).optional(),
    managedFields: z.array(z.looseObject({})).max(1024).optional(),
  })
}

interface ResourceShape<Kind extends string, Spec extends z.ZodType> {
  readonly kind: Kind
  readonly name: z.ZodString
  readonly spec: Spec
}

/** A whole object: what every kind has around its spec and status. */
export function resource<Kind extends string, Spec extends z.ZodType, Status extends z.ZodType>(
  shape: ResourceShape<Kind, Spec> & { readonly status: Status },
) {
  return resourceWithoutStatus(shape).extend({ status: shape.status.optional() })
}

/** The same for a kind whose spec is itself what was observed. */
export function resourceWithoutStatus<Kind extends string, Spec extends z.ZodType>(shape: ResourceShape<Kind, Spec>) {
  return z.strictObject({
    apiVersion: z.literal(apiVersion),
    kind: z.literal(shape.kind),
    metadata: metadata(shape.name),
    spec: shape.spec,
  })
}

/** `<infra>-proxy-external` must fit the 63 characters of a Service name. */
export const infraName = labelOfAtMost(48)
/** `<infra>-proxy` is the longest. */
export const componentName = labelOfAtMost(54)

const condition = z
  .strictObject({
    type: z.string().min(1).max(316).describe('What is judged, e.g. Ready.'),
    status: z.enum(['True', 'False', 'Unknown']).describe('Whether it holds.'),
    observedGeneration: generation.optional().describe('The generation of the spec that was judged.'),
    lastTransitionTime: timestamp.describe('When the status last changed.'),
    reason: z.string().min(1).max(1024).describe('The stable name of the cause.'),
    message: sentence.describe('The particulars, and what to do.'),
  })
  .describe('One judgement about the object.')

export const conditions = z
  .array(condition)
  .max(32)
  .meta(listMapBy('type'))
  .describe('What is known about the state of this object.')
export const observedGeneration = generation.describe('The generation of the spec that this status describes.')
export const servingGeneration = generation.describe('The generation of the spec that the engine serves now.')
