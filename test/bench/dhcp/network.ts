import { buildNetwork } from '../../../src/lab/network/build.ts'
import type { Bench } from '../bench.ts'

/** One VLAN for all of them, the same size and pool for each server. */
export const vlan = {
  cidr: '10.64.0.0/12',
  gateway: '10.64.0.1',
  dnsServer: '10.64.0.4',
  domain: 'my-cluster.example.com',
  rangeStart: '10.64.1.0',
  rangeEnd: '10.79.255.250',
  leaseSeconds: 3600,
}

export const address = { oooi: '10.64.0.2', kea: '10.64.0.3', relay: '10.64.0.50' }

export interface DhcpNetwork {
  readonly oooi: string
  readonly kea: string
  readonly relay: string
}

/** A namespace for each, as they all want port 67, plugged into one bridge; gives the namespaces. */
export async function makeDhcpNetwork(bench: Bench): Promise<DhcpNetwork> {
  const namespace = (name: string) => `${bench.ledger.id}-${name}`
  const bridge = namespace('vlan')
  const parts = ['oooi', 'kea', 'relay'] as const
  await buildNetwork(bench.ledger, {
    bridges: [{ namespace: bridge }],
    cables: parts.map((name) => ({
      namespace: namespace(name),
      interface: 'net1',
      bridge,
      port: name,
      addresses: [`${address[name]}/12`],
    })),
  })
  return { oooi: namespace('oooi'), kea: namespace('kea'), relay: namespace('relay') }
}
