/** Where progress is written: a terminal gets one line that is rewritten, a log gets few lines that stay. */
export interface Output {
  write(text: string): unknown
  readonly isTTY?: boolean
}

/** Runs `work` and shows what is being done and for how long, so that minutes of compiling do not look like a hang. */
export async function withProgress<Value>(
  output: Output,
  label: string,
  work: (detail: (text: string) => void) => Promise<Value>,
  now: () => number = Date.now,
): Promise<Value> {
  const startedMs = now()
  let detail = ''
  const line = () => `${label}: ${elapsed(now() - startedMs)}${detail && `, ${detail}`}`
  if (!output.isTTY) output.write(`${label} ...\n`)
  const timer = output.isTTY
    ? setInterval(() => output.write(`\r\u001b[K${line()}`), 1_000)
    : setInterval(() => output.write(`${line()} ...\n`), 30_000)
  try {
    const value = await work((text) => {
      detail = text
    })
    output.write(`${output.isTTY ? '\r\u001b[K' : ''}${line()}, done\n`)
    return value
  } finally {
    clearInterval(timer)
  }
}

export function elapsed(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
