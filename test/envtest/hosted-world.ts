import { type AnyObject, infra } from './operator-world.ts'

/** A VLAN named `vlan`, and hosted clusters that are attached to it. */

const apiVersion = 'hostedcluster.densityops.com/v1alpha1'

/** An Infra that says nothing of a cluster itself. */
export function vlan(namespace: string, spec: object = {}, proxy: object = {}): AnyObject {
  const bare = infra(namespace, 'vlan')
  const { dhcp, dns } = bare.spec.infraComponents
  const infraComponents = { dhcp, dns: { serverIP: dns.serverIP }, proxy: { serverIP: '192.168.100.10', ...proxy } }
  return { ...bare, spec: { ...bare.spec, infraComponents, ...spec } }
}

export function attached(namespace: string, name: string, spec: object = {}): AnyObject {
  const metadata = { name, namespace }
  const wanted = { infraRef: { name: 'vlan' }, hostedClusterRef: { name, namespace }, ...spec }
  return { apiVersion, kind: 'InfraClusterAttachment', metadata, spec: wanted }
}

/** `name hostname:port` of every backend. */
export const hostnames = (proxy: AnyObject): string[] =>
  proxy.spec.backends.map(
    ({ name, hostname, port }: { name: string; hostname: string; port: number }) => `${name} ${hostname}:${port}`,
  )
