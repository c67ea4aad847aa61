import { expect, test, vi } from 'vitest'
import { PathProbe } from './path-probe.ts'

const server = { address: '192.168.100.3', port: 53 }
const api = { hostname: 'api.c1.example.com', port: 6443 }
const oauth = { hostname: 'oauth.c1.example.com', port: 443 }

function scene() {
  vi.useFakeTimers()
  const wrong = new Map<string, string>()
  const tried: string[] = []
  const probe = new PathProbe({
    now: () => 0,
    tryPath: async ({ hostname }) => {
      tried.push(hostname)
      return wrong.get(hostname)
    },
  })
  const end = (): void => {
    probe.stop()
    vi.useRealTimers()
  }
  return { probe, wrong, tried, [Symbol.dispose]: end }
}

test('each name is tried once a minute; what fails twice in a row is told until it works again', async () => {
  using it = scene()
  it.probe.follow([api, oauth], server)
  it.wrong.set(oauth.hostname, 'no TLS')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(it.tried).toEqual([api.hostname, oauth.hostname])
  expect(it.probe.problems).toEqual([])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(it.probe.problems).toEqual([{ reason: 'PathBroken', message: 'oauth.c1.example.com port 443: no TLS' }])
  it.wrong.clear()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(it.probe.problems).toEqual([])
  expect(it.tried).toHaveLength(6)
})

test('a name that is not published any more is not told of, and without names nothing is tried', async () => {
  using it = scene()
  it.wrong.set(oauth.hostname, 'no TLS')
  it.probe.follow([api, oauth], server)
  await vi.advanceTimersByTimeAsync(130_000)
  expect(it.probe.problems).toHaveLength(1)
  it.probe.follow([api], server)
  expect(it.probe.problems).toEqual([])
  it.probe.follow([], undefined)
  const before = it.tried.length
  await vi.advanceTimersByTimeAsync(300_000)
  expect(it.tried).toHaveLength(before)
  it.probe.follow([api], server)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(it.tried.length).toBeGreaterThan(before)
})
