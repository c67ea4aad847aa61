import { expect, it } from 'vitest'
import { parsePerfdhcp, perfdhcpCommand } from './perfdhcp.ts'

const output = `Running: perfdhcp -4 -g single -u -r 1000 -n 2000 -R 3000 -W 700000 10.76.0.3
Scenario: basic.
***Rate statistics***
Rate: 700 4-way exchanges/second, expected rate: 1000

***Malformed Packets***
Malformed packets: 0
***Statistics for: DISCOVER-OFFER***
sent packets: 2000
received packets: 1924
drops: 76
drops ratio: 3.8 %
orphans: 0
rejected leases: 0
non unique addresses: 0

min delay: 0.070 ms
avg delay: 16.5 ms

***Statistics for: REQUEST-ACK***
sent packets: 1924
received packets: 1890
drops: 34
drops ratio: 2.027 %
orphans: 0
rejected leases: 0
non unique addresses: 1

min delay: 0.066 ms
avg delay: 4.5 ms
`

it('counts whole exchanges, and every one that was not completed as dropped', () => {
  expect(parsePerfdhcp(output)).toMatchObject({ completed: 1890, dropped: 110, averageDelayMs: 10.5, notUnique: 1 })
})

it('the time it waits for stragglers is not part of the rate', () => {
  expect(parsePerfdhcp(output).perSecond).toBeCloseTo(1890 / (2.7 - 0.7))
})

it('without a single answer the rate is nothing', () => {
  const silent = output.replace('Rate: 700', 'Rate: 0').replace('received packets: 1890', 'received packets: 0')
  expect(parsePerfdhcp(silent)).toMatchObject({ completed: 0, perSecond: 0, dropped: 2000 })
})

it('says so when perfdhcp did not run', () => {
  expect(() => parsePerfdhcp('cannot bind socket to 10.76.0.50')).toThrow('cannot bind socket')
})

it('batches differ in the hardware addresses of their clients', () => {
  const command = perfdhcpCommand('10.76.0.2', { exchangesPerSecond: 500, clients: 100, batch: 0x02ff })
  expect(command).toContain('mac=02:02:ff:00:00:00')
})
