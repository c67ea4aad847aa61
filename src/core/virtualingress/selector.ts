import type { ServiceSelector } from '../../api/virtualingressbackend.ts'

export type Labels = Readonly<Record<string, string>>
export type Selector = Pick<ServiceSelector, 'matchLabels' | 'matchExpressions'>

type Expression = NonNullable<Selector['matchExpressions']>[number]

/** As the API server judges a label selector. */
export function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labelOf(labels, key) === value) &&
    matchExpressions.every((expression) => holds(expression, labelOf(labels, expression.key)))
  )
}

function holds({ operator, values = [] }: Expression, value: string | undefined): boolean {
  if (operator === 'Exists') return value !== undefined
  if (operator === 'DoesNotExist') return value === undefined
  if (operator === 'In') return value !== undefined && values.includes(value)
  return value === undefined || !values.includes(value)
}

/** A label may have any name, also one that every JavaScript object has. */
function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined
}

/** As `kubectl get services -l` takes it; the same for selectors that say the same. */
export function selectorText({ matchLabels = {}, matchExpressions = [] }: Selector): string {
  const labels = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`)
  return [...labels.toSorted(), ...matchExpressions.map(expressionText).toSorted()].join(',')
}

function expressionText({ key, operator, values = [] }: Expression): string {
  if (operator === 'Exists') return key
  if (operator === 'DoesNotExist') return `!${key}`
  return `${key} ${operator.toLowerCase()} (${values.toSorted().join(',')})`
}
