import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isKindName, type KindName, kinds } from '../../src/api/kinds.ts'
import { parseManifest } from '../../src/api/manifest.ts'
import { describeWithControlPlane } from '../envtest/availability.ts'
import { useInstalledKinds } from './installed.ts'
import { mutated } from './mutations.ts'
import { goodObjects, tangledObjects } from './objects.ts'

const kindNames = Object.keys(kinds).filter(isKindName)
const objectsPerKind = 80

/** What a file with this object is refused for; that no engine does something yet is no fault of the object. */
function faultsInFile(kind: KindName, object: unknown): string[] {
  const result = parseManifest(JSON.stringify(object), 'generated.json', [kind], 'cluster')
  if (result.ok) return []
  return result.problems
    .filter(({ reason }) => reason !== 'NotYetSupported')
    .map(({ field, message }) => `${field}: ${message}`)
}

describeWithControlPlane('files and the API server judge alike', () => {
  const installed = useInstalledKinds()

  test.each(kindNames)('%s', async (kind) => {
    const objects = fc.oneof(
      { weight: 1, arbitrary: tangledObjects(kind) },
      { weight: 4, arbitrary: goodObjects(kind).chain(mutated) },
    )
    await fc.assert(
      fc.asyncProperty(objects, async (object) => {
        const faults = faultsInFile(kind, object)
        const { accepted, complaints } = await installed().create(kind, object)
        const views = `file: ${faults.join('; ') || 'fine'}\nAPI server: ${complaints.join('; ') || 'fine'}`
        expect(accepted, views).toBe(faults.length === 0)
      }),
      { numRuns: objectsPerKind, endOnFailure: true },
    )
  })
})
