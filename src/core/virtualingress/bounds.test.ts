import { expect, test } from 'vitest'
import { kinds } from '../../api/kinds.ts'
import { generate } from './generate.ts'
import { ServiceIndex } from './service-index.ts'
import { backendStatuses, describeBackend } from './status.ts'

/** The largest that the API takes, against ten thousand Services. */

const labels = Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`l${index}`, 'x'.repeat(63)]))

function tenThousand(): ServiceIndex {
  const services = new ServiceIndex()
  for (let index = 0; index < 10_000; index++) {
    const common = { namespace: 'n', uid: '', createdAt: '2026', isTerminating: false, ports: [{ port: 80 }] }
    services.put({ ...common, name: `s${index}`, labels: { ...labels, app: `a${index}` } })
  }
  return services
}

function huge(selectorOf: (number: number) => Record<string, string>) {
  const rules = Array.from({ length: 64 }, (_, host) => ({
    host: `h${host}.example.com`,
    http: {
      paths: Array.from({ length: 64 }, (_each, path) => ({
        path: `/${path}`,
        pathType: 'Prefix',
        backend: { service: { matchLabels: selectorOf(host * 64 + path), port: { number: 80 } } },
      })),
    },
  }))
  const metadata = { name: 'huge', namespace: 'n' }
  const apiVersion = 'hostedcluster.densityops.com/v1alpha1'
  return kinds.VirtualIngress.schema.parse({ apiVersion, kind: 'VirtualIngress', metadata, spec: { rules } })
}

const options = { last: new Map(), isPublished: false }

test('4,096 routes find theirs among 10,000 Services that share all their other labels', () => {
  const world = { services: tenThousand(), isReady: () => true }
  const { backends, is } = generate(
    huge((number) => ({ l0: labels.l0 ?? '', app: `a${number}` })),
    world,
    options,
  )
  expect(is).toBe('published')
  expect(new Set(backends.map(({ service }) => service?.name)).size).toBe(4096)
})

test('selectors that each match all of them are refused before they are tried', () => {
  const world = { services: tenThousand(), isReady: () => true }
  const pick = (number: number) => ({ l0: labels.l0 ?? '', ...(number % 2 ? { l1: labels.l1 ?? '' } : {}) })
  const { problems, backends } = generate(huge(pick), world, options)
  expect(problems.map(({ reason }) => reason)).toEqual(['TooManyMatches'])
  expect(backends).toEqual([])
})

test('one that matches all of them is told briefly', () => {
  const world = { services: tenThousand(), isReady: () => true }
  const object = huge(() => labels)
  const { backends } = generate(
    { ...object, spec: { ...object.spec, rules: object.spec.rules?.slice(0, 1) } },
    world,
    options,
  )
  expect(backends[0]?.candidates.length).toBe(10_000)
  const status = JSON.stringify(backendStatuses(backends, [], '2026-01-01T00:00:00Z'))
  expect(status.length).toBeLessThan(300_000)
  expect(backends.map(describeBackend).join().length).toBeLessThan(200_000)
})
