import { customResourceDefinitions } from '../../src/api/crd/definition.ts'
import type { Access } from '../../src/lab/kubernetes/access/access.ts'
import { until } from './operator-world.ts'

/** Kinds that an API server is given by a test: ours, and those of others with whatever fields. Twice does no harm. */

type Plane = Pick<Access, 'request'>

interface Definition {
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly group: string
    readonly names: { readonly plural: string }
    readonly versions: readonly { readonly name?: string }[]
  }
}

export const installKinds = (plane: Plane) => install(plane, customResourceDefinitions())

export const installMultus = (plane: Plane) =>
  installForeignKind(plane, 'k8s.cni.cncf.io/v1', 'NetworkAttachmentDefinition', 'network-attachment-definitions')

export function installForeignKind(
  plane: Plane,
  apiVersion: string,
  kind: string,
  plural: string,
  scope: 'Namespaced' | 'Cluster' = 'Namespaced',
): Promise<void> {
  const [group = '', version = ''] = apiVersion.split('/')
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      // Groups of Kubernetes itself are protected.
      annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' },
    },
    spec: {
      group,
      scope,
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  }
  return install(plane, [definition])
}

/**
 * Takes away kinds, such as `routes.route.openshift.io`, that an earlier try of a test installed whose point is that they
 * are not there yet. Whether there was any: an operator is then best started anew.
 */
export async function removeKinds(plane: Plane, ...names: readonly string[]): Promise<boolean> {
  const paths = names.map((name) => `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`)
  const answers = await Promise.all(paths.map((path) => plane.request(path, { method: 'DELETE' })))
  for (const path of paths) await until(`${path} is gone`, async () => (await plane.request(path)).status === 404)
  return answers.some(({ status }) => status !== 404)
}

async function install(plane: Plane, definitions: readonly Definition[]): Promise<void> {
  await Promise.all(definitions.map((definition) => apply(plane, definition)))
  await Promise.all(definitions.map((definition) => untilServed(plane, definition)))
}

async function apply(plane: Plane, definition: Definition): Promise<void> {
  const { name } = definition.metadata
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}?fieldManager=test&force=true`
  const contentType = 'application/apply-patch+yaml'
  const { status, body } = await plane.request(path, { method: 'PATCH', contentType, body: definition })
  if (status > 201) throw new Error(`${name} was not installed: ${status} ${JSON.stringify(body)}`)
}

async function untilServed(plane: Plane, { spec }: Definition): Promise<void> {
  const path = `/apis/${spec.group}/${spec.versions[0]?.name}/${spec.names.plural}?limit=1`
  await until(`${path} is served`, async () => (await plane.request(path)).status === 200)
}
