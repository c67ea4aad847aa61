/**
 * A part of Node that has no public name, and that it does not promise to keep: whoever uses one looks first whether it is as
 * expected, and can do without. Undefined where a version of Node has no such part.
 */
export function innerPart(name: string, ofProcess: object = process): Readonly<Record<string, unknown>> | undefined {
  const binding: unknown = Reflect.get(ofProcess, 'binding')
  if (typeof binding !== 'function') return undefined
  try {
    return Reflect.apply(binding, ofProcess, [name])
  } catch {
    return undefined
  }
}
