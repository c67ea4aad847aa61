import { expect, test } from 'vitest'
import { ownPortProblems, withoutOwnPorts } from './own-ports.ts'
import { backend, proxyServer } from './testing.ts'

test("the pod's own ports are refused on the pod network, and served on the VLAN", () => {
  const proxy = proxyServer({
    backends: [
      backend('api', { podNetwork: true }),
      backend('web', { port: 8080, podNetwork: true }),
      backend('console', { port: 8080 }),
    ],
  })
  expect(ownPortProblems(proxy)).toMatchObject([{ reason: 'PortReserved', field: 'spec.backends[1].port' }])
  const served = withoutOwnPorts(proxy)
  expect(served.spec.backends.map(({ podNetwork }) => podNetwork)).toEqual([true, false, false])
  expect(ownPortProblems(served)).toEqual([])
})
