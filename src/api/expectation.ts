import type { z } from 'zod'

const nameOfType: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'fields (name: value)',
  record: 'names and texts (name: text)',
  array: 'a list',
}

/** Completes "expected …" for every mistake whose field says nothing more particular. */
export const expectation: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return nameOfType[issue.expected] ?? issue.expected
    case 'invalid_value':
      return issue.values.length === 1 ? String(issue.values[0]) : `one of ${issue.values.join(', ')}`
    case 'too_small':
      return `at least ${issue.minimum}${unitOf(issue.origin)}`
    case 'too_big':
      return `at most ${issue.maximum}${unitOf(issue.origin)}`
    default:
      return 'something else'
  }
}

function unitOf(origin: string): string {
  if (origin === 'array') return ' entries'
  return origin === 'string' ? ' characters' : ''
}
