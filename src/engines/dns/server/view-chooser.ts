import { type Cidr, cidrContains } from '../../../core/net/cidr.ts'
import { parseIpv4 } from '../../../core/net/ipv4.ts'
import type { ViewName } from '../zone/records.ts'

/** Which view a query sees: by the address it arrived at; if that serves both sides, by where it came from. */
export interface ViewChooser {
  readonly arrival: ViewName | 'both'
  readonly vlan?: Cidr | undefined
}

/** An address that serves both sides knows the VLAN's machines by their network; everybody else is the pod network. */
export function chooseView({ arrival, vlan }: ViewChooser, client: string): ViewName {
  if (arrival !== 'both') return arrival
  const address = parseIpv4(client)
  return vlan !== undefined && address !== undefined && cidrContains(vlan, address) ? 'vlan' : 'pod'
}
