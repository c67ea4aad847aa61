import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isKindName, kinds } from '../../src/api/kinds.ts'
import { goodManifests } from '../../src/api/testing/manifests.ts'
import { describeWithControlPlane } from '../envtest/availability.ts'
import { useInstalledKinds } from './installed.ts'
import { goodObjects, hasStatus, judge, statuses } from './objects.ts'

const kindNames = Object.keys(kinds).filter(isKindName)
const objectsPerKind = 12

describeWithControlPlane('what we write is what is stored', () => {
  const installed = useInstalledKinds()

  test.each(kindNames)('%s: nothing is pruned, and the defaults are ours', async (kind) => {
    await fc.assert(
      fc.asyncProperty(goodObjects(kind), async (object) => {
        const checked = judge(kind, object)
        const { complaints, object: stored } = await installed().create(kind, object)
        expect(complaints).toEqual([])
        expect(stored).toHaveProperty('spec', checked.ok ? checked.object.spec : undefined)
      }),
      { numRuns: objectsPerKind, endOnFailure: true },
    )
  })

  test.each(kindNames.filter(hasStatus))('%s: nor is anything of its status', async (kind) => {
    const named = { ...goodManifests[kind], metadata: { generateName: 'kept-' } }
    const { object: stored } = await installed().create(kind, named, { keep: true })
    await fc.assert(
      fc.asyncProperty(statuses(kind), async (status) => {
        const answer = await installed().putStatus(kind, Object.assign({}, stored, { status }))
        expect(answer.complaints).toEqual([])
        expect(answer.object).toHaveProperty('status', status)
      }),
      { numRuns: objectsPerKind, endOnFailure: true },
    )
  })
})
