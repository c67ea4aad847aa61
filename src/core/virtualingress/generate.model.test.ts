import fc from 'fast-check'
import { expect, test } from 'vitest'
import { kinds } from '../../api/kinds.ts'
import type { VirtualIngress } from '../../api/virtualingress.ts'
import { type Generation, generate } from './generate.ts'
import { type IngressView, lastKnownIn } from './ingress.ts'
import { type LastKnown, selectionDefaults } from './resolve.ts'
import { SelectorIndex } from './selector-index.ts'
import { ServiceIndex, type ServiceView } from './service-index.ts'

/**
 * The resolver against an oracle that shares nothing with it: no index, no memory but the Ingress before, one path at
 * a time. Services come, go, are relabelled and lose ports in any order; after each step both must agree.
 */

const apps = ['a', 'b', 'c']
const names = ['s1', 's2', 's3', 's4', 's5']

interface Wish {
  readonly path: string
  readonly app: string
  readonly tier?: string
  readonly port: number
  readonly multipleMatches?: 'Error' | 'Newest' | 'Oldest' | 'FirstByName'
}

const wish = fc.record(
  {
    path: fc.constantFrom('/', '/x', '/y'),
    app: fc.constantFrom(...apps),
    tier: fc.constantFrom('web', 'db'),
    port: fc.constantFrom(80, 81),
    multipleMatches: fc.constantFrom('Error', 'Newest', 'Oldest', 'FirstByName'),
  },
  { requiredKeys: ['path', 'app', 'port'] },
)

const step = fc.oneof(
  fc.record({
    do: fc.constant('put' as const),
    name: fc.constantFrom(...names),
    app: fc.constantFrom(...apps),
    tier: fc.constantFrom('web', 'db'),
    ports: fc.subarray([80, 81], { minLength: 1 }),
    isTerminating: fc.boolean(),
    isReady: fc.boolean(),
    age: fc.integer({ min: 0, max: 3 }),
  }),
  fc.record({ do: fc.constant('remove' as const), name: fc.constantFrom(...names) }),
)

interface Known extends ServiceView {
  readonly isReady: boolean
}

interface Settings {
  readonly noMatch: 'Hold' | 'Unavailable' | 'Withdraw'
  readonly requireReadyEndpoints: boolean
}

/** Where each path must lead; undefined: there must be no Ingress. */
function oracle(
  wishes: readonly Wish[],
  services: readonly Known[],
  before: ReadonlyMap<string, string> | undefined,
  { noMatch, requireReadyEndpoints }: Settings,
): Map<string, string> | undefined {
  const after = new Map<string, string>()
  for (const { path, app, tier, port, multipleMatches = 'Error' } of wishes) {
    const current = before?.get(path)
    const fits = services.filter(({ labels }) => labels.app === app && (tier === undefined || labels.tier === tier))
    const live = fits.filter(({ isTerminating }) => !isTerminating)
    let chosen: string | undefined
    if (live.length === 0) chosen = fits.find(({ name }) => name === current)?.name
    else if (live.length > 1 && multipleMatches === 'Error')
      chosen = live.find(({ name, ports }) => name === current && ports.some((has) => has.port === port))?.name
    else {
      const usable = live.filter(({ name, isReady }) => !requireReadyEndpoints || isReady || name === current)
      let best: Known | undefined
      for (const candidate of usable) {
        const isBetter =
          best === undefined ||
          (multipleMatches === 'Newest' && candidate.createdAt > best.createdAt) ||
          (multipleMatches === 'Oldest' && candidate.createdAt < best.createdAt) ||
          ((multipleMatches === 'FirstByName' || candidate.createdAt === best.createdAt) && candidate.name < best.name)
        if (isBetter) best = candidate
      }
      if (best?.ports.some((has) => has.port === port)) chosen = best.name
    }
    if (chosen === undefined && noMatch === 'Hold' && current !== 'stub') chosen = current
    if (chosen === undefined && noMatch === 'Withdraw') return undefined
    if (chosen === undefined && noMatch === 'Hold' && before === undefined) return undefined
    after.set(path, chosen ?? 'stub')
  }
  return after
}

function virtualIngress(wishes: readonly Wish[], settings: Settings): VirtualIngress {
  return kinds.VirtualIngress.schema.parse({
    apiVersion: 'hostedcluster.densityops.com/v1alpha1',
    kind: 'VirtualIngress',
    metadata: { name: 'model', namespace: 'n' },
    spec: {
      selection: settings,
      rules: [
        {
          host: 'model.example.com',
          http: {
            paths: wishes.map(({ path, app, tier, port, multipleMatches }) => ({
              path,
              pathType: 'Prefix',
              backend: {
                service: {
                  matchLabels: { app },
                  ...(tier ? { matchExpressions: [{ key: 'tier', operator: 'In', values: [tier] }] } : {}),
                  ...(multipleMatches ? { multipleMatches } : {}),
                  port: { number: port },
                },
              },
            })),
          },
        },
      ],
    },
  })
}

function ingressOf({ wanted }: Generation): IngressView | undefined {
  return wanted.find(({ kind }) => kind === 'Ingress') as IngressView | undefined
}

function leadsOf(ingress: IngressView | undefined): Map<string, string> | undefined {
  if (!ingress) return undefined
  const paths = ingress.spec?.rules?.flatMap(({ http }) => http?.paths ?? []) ?? []
  return new Map(
    paths.map(({ path = '', backend }) => {
      const name = backend?.service?.name ?? ''
      return [path, name.endsWith('-unavailable') ? 'stub' : name]
    }),
  )
}

test('every Ingress is the one that the oracle says, whatever happens to the Services', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(wish, { minLength: 1, maxLength: 3, selector: ({ path }) => path }),
      fc.record({
        noMatch: fc.constantFrom('Hold', 'Unavailable', 'Withdraw'),
        requireReadyEndpoints: fc.boolean(),
      }),
      fc.array(step, { maxLength: 25 }),
      (wishes, settings, steps) => {
        const object = virtualIngress(wishes, settings)
        const index = new ServiceIndex()
        const services = new Map<string, Known>()
        let expected: Map<string, string> | undefined
        let last: ReadonlyMap<string, LastKnown> = new Map()
        let isPublished = false
        for (const each of steps) {
          if (each.do === 'remove') {
            services.delete(each.name)
            index.remove('n', each.name)
          } else {
            const { name, app, tier, ports, isTerminating, isReady, age } = each
            const view = {
              namespace: 'n',
              name,
              uid: name,
              labels: { app, tier },
              createdAt: `2026-01-01T00:00:0${age}Z`,
              isTerminating,
              ports: ports.map((port) => ({ port })),
            }
            services.set(name, { ...view, isReady })
            index.put(view)
          }
          expected = oracle(wishes, [...services.values()], expected, settings)
          const isReady = ({ name }: ServiceView): boolean => services.get(name)?.isReady === true
          const generation = generate(
            object,
            { services: index, isReady },
            { last, isPublished, selection: selectionDefaults },
          )
          const ingress = ingressOf(generation)
          expect(leadsOf(ingress)).toEqual(expected)
          if (generation.is === 'published') last = generation.leads
          if (generation.is === 'withdrawn') last = new Map()
          isPublished = ingress !== undefined
        }
      },
    ),
    { numRuns: process.env.OOOI_SOAK ? 20_000 : 1000 },
  )
})

test('what is read back from the Ingress is what was written into it', () => {
  fc.assert(
    fc.property(fc.uniqueArray(wish, { minLength: 1, maxLength: 3, selector: ({ path }) => path }), (wishes) => {
      const index = new ServiceIndex()
      for (const [age, app] of apps.entries()) {
        const labels = { app, tier: 'web' }
        const ports = [{ port: 80 }, { port: 81 }]
        index.put({ namespace: 'n', name: app, uid: app, labels, createdAt: `${age}`, isTerminating: false, ports })
      }
      const object = virtualIngress(wishes, { noMatch: 'Hold', requireReadyEndpoints: false })
      const made = generate(object, { services: index, isReady: () => true }, { last: new Map(), isPublished: false })
      const ingress = ingressOf(made)
      if (ingress) expect(lastKnownIn(ingress)).toEqual(made.leads)
    }),
  )
})

test('the index finds what a look at every Service finds, and tells exactly those concerned', () => {
  const labels = fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'constructor'), fc.constantFrom('1', '2'))
  const expression = fc.record({
    key: fc.constantFrom('a', 'b', 'toString'),
    operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist'),
    values: fc.subarray(['1', '2']),
  })
  const selector = fc.record(
    { matchLabels: labels, matchExpressions: fc.array(expression, { maxLength: 2 }) },
    { requiredKeys: [] },
  )
  const holds = (wanted: typeof selector extends fc.Arbitrary<infer S> ? S : never, given: Record<string, string>) =>
    Object.entries(wanted.matchLabels ?? {}).every(
      ([key, value]) => new Map(Object.entries(given)).get(key) === value,
    ) &&
    (wanted.matchExpressions ?? []).every(({ key, operator, values }) => {
      const value = new Map(Object.entries(given)).get(key)
      if (operator === 'Exists') return value !== undefined
      if (operator === 'DoesNotExist') return value === undefined
      const isOneOf = value !== undefined && values.some((one) => one === value)
      return operator === 'In' ? isOneOf : !isOneOf
    })
  fc.assert(
    fc.property(fc.array(labels, { maxLength: 8 }), fc.array(selector, { maxLength: 5 }), (services, selectors) => {
      const index = new ServiceIndex()
      const interests = new SelectorIndex()
      for (const [number, given] of services.entries()) {
        const view = { namespace: 'n', name: `s${number}`, uid: '', createdAt: '', isTerminating: false, ports: [] }
        // Put twice with other labels before: nothing of them stays behind.
        index.put({ ...view, labels: { a: '2', z: '1' } })
        index.put({ ...view, labels: given })
      }
      for (const [number, wanted] of selectors.entries()) {
        interests.set(`v${number}`, [{ namespace: 'n', selector: { matchLabels: { never: 'x' } } }])
        interests.set(`v${number}`, [{ namespace: 'n', selector: wanted }])
      }
      for (const [number, wanted] of selectors.entries()) {
        const found = index.matching('n', wanted).map(({ name }) => name)
        const expected = services.flatMap((given, at) => (holds(wanted, given) ? [`s${at}`] : []))
        expect(found).toEqual(expected)
        for (const [at, given] of services.entries()) {
          const concerned = interests.interestedIn('n', `s${at}`, given)
          expect(concerned.has(`v${number}`)).toBe(expected.includes(`s${at}`))
        }
        expect(index.matching('elsewhere', wanted)).toEqual([])
      }
    }),
    { numRuns: process.env.OOOI_SOAK ? 20_000 : 1000 },
  )
})
