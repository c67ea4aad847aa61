/**
 * A network of namespaces as data: bridges, and cables from a namespace to a bridge. Which `ip` commands build it is a
 * pure question; they are grouped so that two hundred machines cost no more processes than two.
 */
export interface NetworkShape {
  readonly bridges: readonly Bridge[]
  readonly cables: readonly Cable[]
}

/** A switch: a namespace of its own with nothing in it but the bridge `br0`, and perhaps an address on it. */
export interface Bridge {
  readonly namespace: string
  /** With prefix length. */
  readonly address?: string
  readonly mac?: string
}

/** An interface in a namespace and the bridge it is plugged into. */
export interface Cable {
  readonly namespace: string
  readonly interface: string
  /** The bridge's namespace. */
  readonly bridge: string
  /** The name of the other end on the bridge; at most 15 characters, as the kernel has it. */
  readonly port: string
  readonly mac?: string
  /** With prefix length. Without any, the interface is left down for whoever boots there. */
  readonly addresses?: readonly string[]
  readonly defaultGateway?: string
  /** Reaches those on the bridge that are not isolated, and they it; the others not. */
  readonly isolated?: boolean
}

/** Lines for `ip -batch`, in this namespace or in the host's. */
export interface IpBatch {
  readonly namespace?: string
  readonly lines: readonly string[]
}

export function namespacesOf(shape: NetworkShape): string[] {
  return [...new Set([...shape.bridges, ...shape.cables].map((part) => part.namespace))]
}

export function ipBatches(shape: NetworkShape): IpBatch[] {
  const outside: string[] = namespacesOf(shape).map((name) => `netns add ${name}`)
  const inside = new Map<string, string[]>()
  const within = (namespace: string, ...lines: string[]): void => {
    inside.set(namespace, [...(inside.get(namespace) ?? []), ...lines])
  }
  for (const bridge of shape.bridges) {
    const mac = bridge.mac ? ` address ${bridge.mac}` : ''
    within(bridge.namespace, `link add br0${mac} type bridge forward_delay 0`, 'link set br0 up')
    if (bridge.address) within(bridge.namespace, `address add ${bridge.address} dev br0`)
  }
  for (const cable of shape.cables) {
    const mac = cable.mac ? ` address ${cable.mac}` : ''
    outside.push(
      `link add name ${cable.interface}${mac} netns ${cable.namespace} type veth peer name ${cable.port} netns ${cable.bridge}`,
    )
    within(cable.bridge, `link set ${cable.port} master br0 up`)
    if (cable.isolated) within(cable.bridge, `link set ${cable.port} type bridge_slave isolated on`)
    if (!cable.addresses) continue
    within(cable.namespace, 'link set lo up', `link set ${cable.interface} up`)
    for (const address of cable.addresses) within(cable.namespace, `address add ${address} dev ${cable.interface}`)
    if (cable.defaultGateway) within(cable.namespace, `route add default via ${cable.defaultGateway}`)
  }
  return [{ lines: outside }, ...[...inside].map(([namespace, lines]) => ({ namespace, lines }))]
}
