export interface JsonMistake {
  readonly message: string
  readonly line: number
}

/**
 * What is wrong with a text that was meant to be JSON, or undefined if it was not. JSON is YAML too, but what YAML misses in it
 * ("implicit keys") helps nobody who has forgotten a comma.
 */
export function jsonMistake(text: string): JsonMistake | undefined {
  if (!/^\s*\{\s*"/.test(text)) return undefined
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error(String(error))
    if (message.startsWith('Unexpected end')) {
      return { message: 'the JSON ends too early', line: text.trimEnd().split('\n').length }
    }
    const place = /^(.*?) (?:in|after) JSON at position \d+ \(line (\d+) column (\d+)\)$/s.exec(message)
    if (!place) return undefined
    const [, what, line, column] = place
    return { message: `${what}, at column ${column} of JSON`, line: Number(line) }
  }
}
