import { expect, test } from 'vitest'
import { Sightings } from './sightings.ts'

const minuteMs = 60_000

test('changes when something is reached for the first time, and only then', () => {
  const sightings = new Sightings()
  sightings.reached('10.0.0.5', 'ignition', 1000)
  const first = sightings.list(1000)
  expect(first).toEqual([{ address: '10.0.0.5', reached: ['ignition'], failing: [], changedMs: 1000 }])
  sightings.reached('10.0.0.5', 'ignition', 2000)
  expect(sightings.list(3000)).toEqual(first)
  sightings.reached('10.0.0.5', 'api', 4000)
  expect(sightings.list(4000)).toMatchObject([{ reached: ['api', 'ignition'], changedMs: 4000 }])
})

test('a failure counts until the same thing is reached, and not after it was', () => {
  const sightings = new Sightings()
  sightings.failed('10.0.0.5', 'api', 'connection refused', 1000)
  sightings.failed('10.0.0.5', 'api', 'timed out', 2000)
  expect(sightings.list(2000)).toMatchObject([
    { failing: [{ name: 'api', error: 'connection refused' }], changedMs: 1000 },
  ])
  sightings.reached('10.0.0.5', 'api', 3000)
  sightings.failed('10.0.0.5', 'api', 'timed out', 4000)
  expect(sightings.list(4000)).toMatchObject([{ reached: ['api'], failing: [], changedMs: 3000 }])
})

test('who is silent for half an hour is forgotten, unless a connection is open', () => {
  const sightings = new Sightings()
  sightings.reached('10.0.0.5', 'api', 0)
  sightings.reached('10.0.0.6', 'api', 0)
  sightings.opened('10.0.0.6', 0)
  expect(sightings.list(31 * minuteMs).map(({ address }) => address)).toEqual(['10.0.0.6'])
  sightings.closed('10.0.0.6', 40 * minuteMs)
  expect(sightings.list(50 * minuteMs)).toHaveLength(1)
  expect(sightings.list(71 * minuteMs)).toEqual([])
})

test('however many ask, the list is bounded and the quietest gives way', () => {
  const sightings = new Sightings()
  for (let client = 0; client < 5000; client++) sightings.reached(`10.0.${client >> 8}.${client & 255}`, 'api', client)
  const list = sightings.list(5000)
  expect(list).toHaveLength(1024)
  expect(list.some(({ address }) => address === '10.0.0.0')).toBe(false)
  for (let thing = 0; thing < 100; thing++) sightings.reached('10.0.0.7', `name-${thing}`, 6000)
  expect(sightings.list(6000).find(({ address }) => address === '10.0.0.7')?.reached).toHaveLength(16)
})

test('strangers do not drive out those who go on, nor those who are connected', () => {
  const sightings = new Sightings()
  sightings.reached('10.0.0.1', 'api', 0)
  sightings.reached('10.0.0.2', 'api', 0)
  sightings.opened('10.0.0.2', 0)
  sightings.reached('10.0.0.3', 'api', 0)
  for (let stranger = 0; stranger < 5000; stranger++) {
    sightings.reached(`10.1.${stranger >> 8}.${stranger & 255}`, 'api', stranger)
    if (stranger % 500 === 0) sightings.reached('10.0.0.1', 'api', stranger + 1)
  }
  const addresses = sightings.list(5000).map(({ address }) => address)
  expect(addresses).toHaveLength(1024)
  expect(addresses).toEqual(expect.arrayContaining(['10.0.0.1', '10.0.0.2', '10.1.19.135']))
  expect(addresses).not.toContain('10.0.0.3')
  sightings.closed('10.0.0.2', 5000)
  for (let stranger = 0; stranger < 2048; stranger++)
    sightings.reached(`10.2.${stranger >> 8}.${stranger & 255}`, 'api', 6000)
  expect(sightings.list(6000).every(({ address }) => address.startsWith('10.2.'))).toBe(true)
})

test('when everybody is connected the first of them gives way', () => {
  const sightings = new Sightings()
  for (let client = 0; client < 1030; client++) {
    const address = `10.0.${client >> 8}.${client & 255}`
    sightings.reached(address, 'api', 0)
    sightings.opened(address, 0)
  }
  const addresses = new Set(sightings.list(0).map(({ address }) => address))
  expect([addresses.size, addresses.has('10.0.0.5'), addresses.has('10.0.0.6')]).toEqual([1024, false, true])
})
