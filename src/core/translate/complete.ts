import { checkResource } from '../../api/check.ts'
import { formatPath } from '../../api/fieldpath.ts'
import type { KindDefinition } from '../../api/kinds.ts'
import { failed, ok, type Result } from '../result.ts'

interface Named {
  readonly kind: string
  readonly metadata: { readonly name: string }
}

/** A component with all its defaults, checked like one that a person wrote. */
export function complete<Resource>(kind: KindDefinition<Resource>, input: Named): Result<Resource> {
  const checked = checkResource(kind, input, 'file')
  if (checked.ok) return ok(checked.object)
  return failed(
    ...checked.mistakes.map(({ reason, path, message }) => ({
      reason,
      message: `${input.kind} ${input.metadata.name}, ${formatPath(path)}: ${message}`,
    })),
  )
}
