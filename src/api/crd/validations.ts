import type { RuleGroup } from '../rules/rule.ts'
import type { StructuralSchema, Validation } from './structural.ts'

/** What the API server is to check of these rules: those that hold in a cluster and that nothing else keeps. */
export function validationsOf({ rules }: Pick<RuleGroup<never>, 'rules'>): Validation[] {
  return rules.flatMap(({ cel, only, field, subject, message }) => {
    if (only === 'file' || typeof cel !== 'string') return []
    const text = subject === undefined ? message : `${subject} ${message}`
    return [
      {
        rule: cel,
        message: text,
        // "Required value: is needed …" reads better than "Invalid value".
        ...(/^(is|are) needed/.test(message) ? { reason: 'FieldValueRequired' } : {}),
        ...(field === '' ? {} : { fieldPath: `.${field}` }),
      },
    ]
  })
}

/** The schema with validations added where a path such as `spec.backends[]` leads. */
export function withValidations(
  schema: StructuralSchema,
  path: string,
  validations: readonly Validation[],
): StructuralSchema {
  if (validations.length === 0) return schema
  return changed(schema, path.replaceAll('[]', '.[]').split('.'), (at) => ({
    ...at,
    'x-kubernetes-validations': [...(at['x-kubernetes-validations'] ?? []), ...validations],
  }))
}

function changed(
  schema: StructuralSchema,
  [step, ...rest]: readonly string[],
  change: (at: StructuralSchema) => StructuralSchema,
): StructuralSchema {
  if (step === undefined) return change(schema)
  if (step === '[]' && schema.items) return { ...schema, items: changed(schema.items, rest, change) }
  const field = schema.properties?.[step]
  if (field === undefined) throw new Error(`there is no ${step} where a rule is to be placed`)
  return { ...schema, properties: { ...schema.properties, [step]: changed(field, rest, change) } }
}
