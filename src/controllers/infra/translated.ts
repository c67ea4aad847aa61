import type { Infra } from '../../api/infra.ts'
import type { Result } from '../../core/result.ts'
import { type Components, type Surroundings, translate } from '../../core/translate/translate.ts'

interface Remembered {
  readonly surroundings: string
  readonly components: Result<Components>
}

/** By the Infra as it was read, which is the same object until its spec changes. */
const memory = new WeakMap<Infra, Remembered>()

/** Translates, unless it did for the same Infra in the same surroundings: most reconciles come from a changed status. */
export function translated(infra: Infra, given: Surroundings): Result<Components> {
  const surroundings = JSON.stringify(given)
  const known = memory.get(infra)
  if (known?.surroundings === surroundings) return known.components
  const components = translate(infra, given)
  memory.set(infra, { surroundings, components })
  return components
}
