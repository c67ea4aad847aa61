import { expect, it } from 'vitest'
import { clientHello } from './hello.ts'

it('is one TLS record with a ClientHello that names the server', async () => {
  const hello = await clientHello('api.my-cluster.example.com')
  expect([...hello.subarray(0, 2)]).toEqual([22, 3])
  expect(hello.readUInt16BE(3)).toBe(hello.length - 5)
  expect(hello[5]).toBe(1)
  expect(hello.includes('api.my-cluster.example.com')).toBe(true)
})
