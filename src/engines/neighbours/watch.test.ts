import { expect, test, vi } from 'vitest'
import { NeighbourWatch } from './watch.ts'

const proxy = { name: 'c1-proxy', address: '192.168.100.10', mac: '02:00:00:00:00:0A' }
const head = 'IP address       HW type     Flags       HW address            Mask     Device\n'
const line = (mac: string) => `${proxy.address}   0x1         0x2         ${mac}     *        net1\n`

test('another machine at an address is told when it stays, and no more when it is gone', async () => {
  vi.useFakeTimers()
  let table = head + line('02:00:00:00:00:0a')
  const knocked: string[] = []
  const watch = new NeighbourWatch({ knock: (address) => knocked.push(address), table: async () => table })
  watch.follow([proxy])
  await vi.advanceTimersByTimeAsync(100_000)
  expect(knocked.length).toBeGreaterThan(2)
  expect(watch.problems).toEqual([])
  table = head + line('02:00:00:00:00:ff')
  await vi.advanceTimersByTimeAsync(62_000)
  expect(watch.problems, 'it may be a pod that is being replaced').toEqual([])
  await vi.advanceTimersByTimeAsync(62_000)
  expect(watch.problems).toMatchObject([
    { reason: 'AddressAnsweredByOther', message: expect.stringContaining('02:00:00:00:00:ff') },
  ])
  watch.follow([proxy])
  expect(watch.problems).toHaveLength(1)
  watch.follow([{ ...proxy, mac: '02:00:00:00:00:ff' }])
  expect(watch.problems).toEqual([])
  table = head
  await vi.advanceTimersByTimeAsync(200_000)
  expect(watch.problems, 'nobody there is nobody else').toEqual([])
  watch.stop()
  vi.useRealTimers()
})
