import { describe, expect, test } from 'vitest'
import { isKindName, type KindName, kinds } from '../../src/api/kinds.ts'
import { breaches, spoiled } from '../../src/api/testing/breaches.ts'
import { goodManifests } from '../../src/api/testing/manifests.ts'
import { describeWithControlPlane } from '../envtest/availability.ts'
import { useInstalledKinds } from './installed.ts'

const kindNames = Object.keys(kinds).filter(isKindName)

/**
 * What the API server may answer to a broken rule, as `field: words`. It points to the field as a whole where we point
 * to an entry of a list; and where the type of a list keeps the rule, the words are its own.
 */
function expectedComplaints(kind: KindName, ruleName: string): { readonly place: string; readonly words: string }[] {
  return kinds[kind].rules.flatMap(({ at, rules }) =>
    rules
      .filter(({ name }) => name === ruleName)
      .flatMap(({ field, subject, message, cel }) => {
        const place = [at.replaceAll('[]', '[0]'), field].filter(Boolean).join('.').split('[')[0] ?? ''
        const own = subject === undefined ? message : `${subject} ${message}`
        return [...(typeof cel === 'string' ? [own] : []), 'Duplicate value'].map((words) => ({ place, words }))
      }),
  )
}

describeWithControlPlane('rules between fields, on the API server', () => {
  const installed = useInstalledKinds()

  describe.each(kindNames)('%s', (kind) => {
    test('a good one is accepted', async () => {
      expect(await installed().create(kind, goodManifests[kind])).toMatchObject({ accepted: true, complaints: [] })
    })

    test.each(breaches[kind].map(([rule, field, changes]) => ({ rule, field, changes })))(
      '$rule at $field',
      async ({ rule, changes }) => {
        const { status, complaints } = await installed().create(kind, spoiled(kind, changes))
        expect(status, complaints.join('\n')).toBe(422)
        const isExplained = expectedComplaints(kind, rule).some(({ place, words }) =>
          complaints.some((text) => text.startsWith(place) && text.includes(words)),
        )
        expect(isExplained, complaints.join('\n')).toBe(true)
      },
    )
  })
})
