import { describe } from 'vitest'
import { type Kyverno, locateKyverno } from '../../tools/kyverno/kyverno.ts'

const found = await locateKyverno()
if (!found) {
  process.stderr.write(
    'SKIPPED: tests of the policies with Kyverno. It takes minutes to compile: "make setup-test-e2e".\n',
  )
}

/** `describe` where Kyverno was set up; `make setup` does not, so the CI tier may do without. */
export const describeWithKyverno = describe.skipIf(found === undefined)

export function kyverno(): Kyverno {
  if (!found) throw new Error('there is no Kyverno: make setup-test-e2e')
  return found
}
