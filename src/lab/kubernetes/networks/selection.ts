import { z } from 'zod'

/** Which networks a pod asks for beside the pod network: the annotation of the multi-network specification. */
export const networksAnnotation = 'k8s.v1.cni.cncf.io/networks'
export const statusAnnotation = 'k8s.v1.cni.cncf.io/network-status'

export interface NetworkSelection {
  readonly namespace: string
  readonly name: string
  readonly interface: string
  readonly ips: readonly string[]
  readonly mac?: string | undefined
}

const element = z.object({
  name: z.string(),
  namespace: z.string().optional(),
  interface: z.string().optional(),
  ips: z.array(z.string()).optional(),
  mac: z.string().optional(),
})

/** Both forms: a JSON list, or `namespace/name@interface` separated by commas. */
export function parseSelections(annotation: string, podNamespace: string): NetworkSelection[] {
  const text = annotation.trim()
  const given = text.startsWith('[')
    ? z.array(element).parse(JSON.parse(text))
    : text.split(',').filter(Boolean).map(parseShort)
  return given.map((one, index) => ({
    name: one.name,
    namespace: one.namespace ?? podNamespace,
    interface: one.interface ?? `net${index + 1}`,
    ips: one.ips ?? [],
    mac: one.mac,
  }))
}

function parseShort(text: string): z.infer<typeof element> {
  const [, namespace, name, interfaceName] = /^(?:([^/@]+)\/)?([^/@]+)(?:@(.+))?$/.exec(text.trim()) ?? []
  if (!name) throw new Error(`annotation ${networksAnnotation}: "${text}" is not [namespace/]name[@interface]`)
  return { name, namespace, interface: interfaceName }
}

/**
 * With namespace isolation, as OpenShift has it, a pod may use definitions of its own namespace and of `default` only.
 */
export function mayUse(podNamespace: string, selection: NetworkSelection): boolean {
  return selection.namespace === podNamespace || selection.namespace === 'default'
}
