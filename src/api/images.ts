import { type FieldPath, findAll } from './fieldpath.ts'
import type { KindName } from './kinds.ts'
import { isMapping } from './shape.ts'

const imageFields: Readonly<Record<KindName, readonly string[]>> = {
  Infra: [
    'spec.infraComponents.dhcp.image',
    'spec.infraComponents.dns.image',
    'spec.infraComponents.proxy.proxyImage',
    'spec.infraComponents.proxy.managerImage',
  ],
  DHCPServer: ['spec.image'],
  DNSServer: ['spec.image'],
  ProxyServer: ['spec.proxyImage', 'spec.managerImage'],
  InfraClusterAttachment: [],
  DHCPLease: [],
  VirtualIngress: [],
}

/** Images of the Go program whose manifests we read: other programs, which know nothing of our flags. */
const foreignImage = /^(quay\.io\/cldmnky\/oooi|ghcr\.io\/cldmnky\/hyperdhcp)/

interface WithoutForeignImages {
  readonly manifest: unknown
  readonly warnings: readonly { readonly path: FieldPath; readonly message: string }[]
}

/** Manifests written for that program name its images explicitly; they are read as if they named none. */
export function withoutForeignImages(kind: KindName, manifest: unknown): WithoutForeignImages {
  const found = imageFields[kind]
    .flatMap((field) => findAll(manifest, field))
    .filter(({ value }) => typeof value === 'string' && foreignImage.test(value))
  return {
    manifest: found.reduce((rest, { path }) => without(rest, path), manifest),
    warnings: found.map(({ path, value }) => ({
      path,
      message: `${value} holds another program: the default image is used instead`,
    })),
  }
}

function without(value: unknown, [key, ...rest]: FieldPath): unknown {
  if (!isMapping(value) || typeof key !== 'string') return value
  const { [key]: removed, ...others } = value
  return rest.length === 0 ? others : { ...others, [key]: without(removed, rest) }
}
