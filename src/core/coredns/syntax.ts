export type Lines = readonly (string | Lines)[]

/** Lists are one level deeper than the line before them. */
function indented(lines: Lines, depth = 1): string {
  return lines
    .map((line) => (typeof line === 'string' ? `${'    '.repeat(depth)}${line}\n` : indented(line, depth + 1)))
    .join('')
}

export function block(head: string, ...body: Lines): string {
  return `${head} {\n${indented(body)}}\n`
}

export const nested = (head: string, ...body: readonly string[]): Lines => [`${head} {`, body, '}']
