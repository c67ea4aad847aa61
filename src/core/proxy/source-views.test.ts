import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cidrContains, formatCidr, netmask } from '../net/cidr.ts'
import { formatIpv4, parseIpv4 } from '../net/ipv4.ts'
import { chooseBackend } from './choose.ts'
import { routesOf } from './routes.ts'
import { sourceViewsOf } from './source-views.ts'
import { proxyServer } from './testing.ts'

/** Few addresses and lengths, so that networks hold each other often. */
const network = fc
  .record({ address: fc.integer({ min: 0, max: 15 }), prefixLength: fc.integer({ min: 28, max: 32 }) })
  .map(({ address, prefixLength }) => {
    const mask = netmask({ network: 0, prefixLength })
    return formatCidr({ network: ((0x0a000000 + address) & mask) >>> 0, prefixLength })
  })

const backend = fc.record({
  hostname: fc.constantFrom('a.example.com', '*.example.com'),
  default: fc.boolean(),
  sourcePrefixRanges: fc.option(fc.uniqueArray(network, { maxLength: 3 }), { nil: undefined }),
  allowedSourceCIDRs: fc.option(fc.uniqueArray(network, { maxLength: 3 }), { nil: undefined }),
})

it('shows every client what the rules on sources decide for it', () => {
  fc.assert(
    fc.property(fc.array(backend, { minLength: 1, maxLength: 5 }), (inputs) => {
      const backends = inputs.map(({ sourcePrefixRanges, allowedSourceCIDRs, ...input }, index) => ({
        ...input,
        ...(sourcePrefixRanges && { sourcePrefixRanges }),
        ...(allowedSourceCIDRs && { allowedSourceCIDRs }),
        name: `backend-${index}`,
        port: 80,
        protocol: 'HTTP' as const,
        targetAddress: '10.9.9.9',
        targetPort: 80,
      }))
      const routes = routesOf(proxyServer({ backends, serverIP: '192.0.2.1' })).ports.get(80)?.http
      if (!routes) throw new Error('no routes on port 80')
      const views = sourceViewsOf(routes)
      for (let client = 0; client < 18; client += 1) {
        const sourceAddress = formatIpv4(0x0a000000 + client)
        const address = parseIpv4(sourceAddress) ?? 0
        const view = views.bySource.find(({ source }) => cidrContains(source, address))?.view ?? views.otherwise
        for (const serverName of [undefined, 'a.example.com', 'b.example.com']) {
          const choice = chooseBackend(routes, { serverName, sourceAddress })
          const want = choice.kind === 'backend' ? choice.backend : choice.refusal
          const byName = (serverName && view.exact.get(serverName)) || view.wildcard.get('example.com') || 'unknown_sni'
          const seen = serverName === undefined ? (view.default ?? 'no_sni') : byName
          expect(seen === 'denied' ? 'source_denied' : seen).toBe(want)
        }
      }
    }),
  )
})
