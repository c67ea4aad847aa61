import { expect, it } from 'vitest'
import { authoritativeQueries, clusterZoneFile, foreignQueries, foreignZoneFile } from './zone.ts'

function share(queries: readonly string[], pattern: RegExp): number {
  return queries.filter((query) => pattern.test(query)).length / queries.length
}

it('the mix is what nodes ask', () => {
  const queries = authoritativeQueries(2000)
  expect(share(queries, /^[^.]+\.my-cluster\.example\.com A$/) - share(queries, /^missing/)).toBeCloseTo(0.4)
  expect(share(queries, /^[^.]+\.my-cluster\.example\.com AAAA$/)).toBeCloseTo(0.2)
  expect(share(queries, /\.apps\..* A$/)).toBeCloseTo(0.25)
  expect(share(queries, /\.apps\..* AAAA$/)).toBeCloseTo(0.05)
  expect(share(queries, /^missing.* A$/)).toBeCloseTo(0.1)
})

it('foreign names differ from run to run', () => {
  expect(foreignQueries(2, 'a')).toEqual(['a-0.upstream.test A', 'a-1.upstream.test A'])
})

it('zone files name all there is', () => {
  expect(clusterZoneFile('10.77.0.2')).toMatch(/^\*\.apps\.my-cluster\.example\.com\. 30 IN A 10\.77\.0\.101$/m)
  expect(foreignZoneFile('10.77.0.5')).toMatch(/^\*\.upstream\.test\. 30 IN A 192\.0\.2\.1$/m)
})
