/** A label selector of Kubernetes. */
export interface LabelSelector {
  readonly matchLabels: Readonly<Record<string, string>>
  readonly matchExpressions: readonly {
    readonly key: string
    readonly operator: string
    readonly values: readonly string[]
  }[]
}

/** An operator that this version does not know selects nothing. */
export function selects(
  { matchLabels, matchExpressions }: LabelSelector,
  labels: Readonly<Record<string, string>>,
): boolean {
  const hasLabels = Object.entries(matchLabels).every(([key, value]) => labels[key] === value)
  return (
    hasLabels &&
    matchExpressions.every(({ key, operator, values }) => {
      const value = labels[key]
      const isListed = value !== undefined && values.includes(value)
      if (operator === 'In') return isListed
      if (operator === 'NotIn') return !isListed
      if (operator === 'Exists') return value !== undefined
      return operator === 'DoesNotExist' && value === undefined
    })
  )
}
