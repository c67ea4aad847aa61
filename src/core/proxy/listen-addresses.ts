import { serverAddressesOf } from '../../api/network.ts'
import type { ProxyServer } from '../../api/proxyserver.ts'
import { failed, ok, type Result } from '../result.ts'

/** Where a proxy is to be found on the VLAN; without any there is nothing to serve. */
export function listenAddressesOf({ metadata, spec }: ProxyServer): Result<readonly string[]> {
  const addresses = serverAddressesOf(spec.networkConfig)
  if (addresses.length > 0) return ok(addresses)
  return failed({
    reason: 'InvalidField',
    field: 'spec.networkConfig.serverIP',
    message: `ProxyServer ${metadata.name} has no serverIP; give it the address of the proxy on the VLAN.`,
  })
}
