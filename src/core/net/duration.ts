/** Durations as Go and Kubernetes write them: `1h`, `1h30m`, `1.5s`, `500ms`. */

const millisecondsPerUnit: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}

const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/y

/** Milliseconds; negative durations mean nothing here and are refused. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0
  if (text.length > 64) return undefined
  let milliseconds = 0
  part.lastIndex = 0
  while (part.lastIndex < text.length) {
    const match = part.exec(text)
    if (!match) return undefined
    milliseconds += Number(match[1]) * (millisecondsPerUnit[match[2] ?? ''] ?? Number.NaN)
  }
  return text.length > 0 && Number.isFinite(milliseconds) ? milliseconds : undefined
}
