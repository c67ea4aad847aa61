/** The known name that was probably meant: another case, or one or two letters wrong. */
export function suggest(written: string, known: readonly string[]): string | undefined {
  const limit = written.length < 4 ? 1 : 2
  const ranked = known
    .map((name) => ({ name, distance: editDistance(written.toLowerCase(), name.toLowerCase(), limit) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance)
  return ranked[0]?.name
}

/** Insertions, deletions and replacements between two words; anything above `limit` may come out as limit + 1. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1)
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    previous = current
  }
  return previous[b.length] ?? 0
}
