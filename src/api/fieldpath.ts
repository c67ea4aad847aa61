import { isMapping } from './shape.ts'

/** Where a value is inside an object: keys and list positions. Written `spec.backends[2].port`. */
export type FieldPath = readonly (string | number)[]

export function formatPath(path: FieldPath): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`
    const written = /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key)
    return text === '' ? written : `${text}.${written}`
  }, '')
}

/** The reverse of formatPath for the plain paths that our own code writes. */
export function parsePath(text: string): FieldPath {
  return (text.match(/"[^"]*"|[^.[\]"]+/g) ?? []).map((part) =>
    part.startsWith('"') ? part.slice(1, -1) : /^\d+$/.test(part) ? Number(part) : part,
  )
}

/** The value at a path, or undefined where there is none. */
export function valueAt(value: unknown, path: FieldPath): unknown {
  return path.reduce<unknown>((at, key) => {
    if (Array.isArray(at)) return typeof key === 'number' ? at[key] : undefined
    return isMapping(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }, value)
}

export interface Found {
  readonly path: FieldPath
  readonly value: unknown
}

/** Every value that a pattern such as `spec.backends[].protocol` finds; `[]` stands for each entry of a list. */
export function findAll(value: unknown, pattern: string): Found[] {
  let found: Found[] = [{ path: [], value }]
  for (const step of pattern.replaceAll('[]', '.[]').split('.')) {
    found = found.flatMap((at): Found[] => {
      if (step === '[]') {
        return Array.isArray(at.value)
          ? at.value.map((item, index) => ({ path: [...at.path, index], value: item }))
          : []
      }
      const next = valueAt(at.value, [step])
      return next === undefined ? [] : [{ path: [...at.path, step], value: next }]
    })
  }
  return found
}
