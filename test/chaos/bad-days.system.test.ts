import fc from 'fast-check'
import { expect, test } from 'vitest'
import { follow } from './follow.ts'
import type { Fault, ScriptedServer } from './scripted-server.ts'

const name = fc.constantFrom('a', 'b', 'c', 'd')
const status = fc.constantFrom(401, 403, 404, 410, 429, 500, 503)
const body = fc.constantFrom('', '{', '<html>', 'null', '{"kind":"Status","code":500}', '{"items":[{}],"metadata":{}}')
const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.constant<Fault>({ type: 'reset' }),
  fc.constant<Fault>({ type: 'hang' }),
  fc.record({ type: fc.constant('slow' as const), delayMs: fc.integer({ min: 1, max: 30 }) }),
  fc.record({ type: fc.constant('answer' as const), status: fc.oneof(status, fc.constant(200)), body }),
  fc.record({ type: fc.constant('break' as const), body }),
)

type Step = (server: ScriptedServer) => void
let counter = 0
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: name.map((it) => (server: ScriptedServer) => void server.put(it, { v: String(counter++) })) },
  { weight: 2, arbitrary: name.map((it) => (server: ScriptedServer) => server.remove(it)) },
  {
    weight: 1,
    arbitrary: name.map((it) => (server: ScriptedServer) => {
      server.remove(it)
      server.put(it, { v: String(counter++) }, `uid-${counter}`)
    }),
  },
  { weight: 3, arbitrary: fault.map((it) => (server: ScriptedServer) => server.fail('watch', it)) },
  { weight: 2, arbitrary: fault.map((it) => (server: ScriptedServer) => server.fail('list', it)) },
  { weight: 2, arbitrary: fc.constant((server: ScriptedServer) => server.endWatches('reset')) },
  { weight: 1, arbitrary: fc.constant((server: ScriptedServer) => server.endWatches('end')) },
  { weight: 1, arbitrary: fc.constant((server: ScriptedServer) => server.blackHoleWatches()) },
  { weight: 1, arbitrary: fc.constant((server: ScriptedServer) => server.compact()) },
  { weight: 1, arbitrary: fc.constant((server: ScriptedServer) => server.bookmark()) },
  { weight: 1, arbitrary: body.map((it) => (server: ScriptedServer) => server.say(`${it}\n`)) },
  {
    weight: 1,
    arbitrary: fc.constant((server: ScriptedServer) => {
      server.goneAs = server.goneAs === 'event' ? 'status' : 'event'
    }),
  },
)

test('after any day the copy is right, and every change was told', async () => {
  const day = fc.array(fc.tuple(step, fc.integer({ min: 0, max: 15 })), { minLength: 10, maxLength: 40 })
  const property = fc.asyncProperty(day, async (steps) => {
    await using follower = await follow({ idleMs: 15_000, callTimeoutMs: 15_000 })
    const { server, informer, until } = follower
    const told = new Map<string, string>()
    informer.onChange(({ type, object: { metadata, data } }) => {
      expect(told.has(metadata.name)).toBe(type !== 'added')
      if (type === 'deleted') told.delete(metadata.name)
      else told.set(metadata.name, `${metadata.name}=${data?.v ?? ''}`)
    })
    informer.start()
    for (const [run, waitMs] of steps) {
      run(server)
      await new Promise((resolve) => setTimeout(resolve, waitMs))
    }
    await until(...server.contents)
    expect([...told.values()].sort()).toEqual(server.contents.sort())
    expect(informer.stats().handlerFailures).toBe(0)
  })
  await fc.assert(property, { numRuns: 10, endOnFailure: true })
})
