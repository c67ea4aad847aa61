import type { Access } from '../../../src/lab/kubernetes/access/access.ts'

const clusterName = 'kubernetes-prod'

interface Service {
  readonly metadata: { readonly name: string; readonly uid: string }
}

/**
 * A tenant cluster with one Service, and a stand-in for the KubeVirt cloud provider, which cannot be had here: it mirrors
 * the Service as that one does. The tenant is a namespace; what matters is that its Service gets a uid from a real API server.
 */
export class Tenant {
  readonly labels: Readonly<Record<string, string>>
  readonly #access: Access
  readonly #name: string
  readonly #tenantNamespace: string
  readonly #namespace: string

  constructor(access: Access, options: { name: string; tenantNamespace: string; namespace: string }) {
    this.#access = access
    this.#name = options.name
    this.#tenantNamespace = options.tenantNamespace
    this.#namespace = options.namespace
    this.labels = {
      'cluster.x-k8s.io/cluster-name': clusterName,
      'cluster.x-k8s.io/tenant-service-name': options.name,
      'cluster.x-k8s.io/tenant-service-namespace': options.tenantNamespace,
    }
  }

  /** The Service is made in the tenant cluster and mirrored, to the pods of this backend. The name of the mirror comes back. */
  async create(backend: string): Promise<string> {
    const ports = [{ port: 80, protocol: 'TCP', targetPort: 8080 }]
    const service = await this.#post(this.#tenantNamespace, { name: this.#name }, { ports })
    const name = mirrorName(service.metadata.uid)
    const spec = { type: 'LoadBalancer', selector: { app: backend }, ports }
    await this.#post(this.#namespace, { name, labels: this.labels }, spec)
    return name
  }

  /** The tenant's finalizer holds its Service until the mirror is gone, so the mirror goes first. */
  async remove(mirror: string): Promise<void> {
    await this.#access.kubectl(['delete', 'service', mirror, '-n', this.#namespace])
    await this.#access.kubectl(['delete', 'service', this.#name, '-n', this.#tenantNamespace])
  }

  async #post(namespace: string, metadata: object, spec: object): Promise<Service> {
    const body = { apiVersion: 'v1', kind: 'Service', metadata, spec }
    const path = `/api/v1/namespaces/${namespace}/services`
    const answer = await this.#access.request<Service>(path, { method: 'POST', body })
    if (answer.status !== 201) throw new Error(`Service in ${namespace}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
}

/** `DefaultLoadBalancerName` of k8s.io/cloud-provider. */
export function mirrorName(uid: string): string {
  return `a${uid.replaceAll('-', '')}`.slice(0, 32)
}
