import { Command } from 'commander'
import type { DNSServer } from '../api/dnsserver.ts'
import { kinds } from '../api/kinds.ts'
import { apiVersion } from '../api/meta.ts'
import { corefileBlock, type ForwardedServer, type Forwarding, openshiftPatch } from '../core/dns/forward-snippet.ts'
import { domainsOf } from '../core/dns/names.ts'
import { failed, ok, type Result } from '../core/result.ts'
import type { KubeClient } from '../runtime/kube/client.ts'
import { isKindMissing } from '../runtime/kube/error.ts'
import { defineKind } from '../runtime/kube/kind.ts'
import type { KubeObject } from '../runtime/kube/object.ts'
import { found, parseReference, readCluster } from './cluster-object.ts'
import { outputOption } from './options.ts'
import { reportProblems, type Terminal } from './terminal.ts'

interface SnippetOptions {
  readonly kubeconfig?: string
  readonly output: string
}

/** What makes pods of the cluster use the names of a hosted cluster. */
interface Snippet extends Forwarding {
  /** For OpenShift's DNS operator, where there is one. */
  readonly patch?: readonly object[]
  readonly corefile: string
}

const dnsServerKind = defineKind<KubeObject & Pick<DNSServer, 'spec' | 'status'>>({
  apiVersion,
  kind: 'DNSServer',
  plural: kinds.DNSServer.plural,
  namespaced: true,
})
const dnsOperatorKind = defineKind<KubeObject & { spec?: { servers?: ForwardedServer[] } }>({
  apiVersion: 'operator.openshift.io/v1',
  kind: 'DNS',
  plural: 'dnses',
  namespaced: false,
})

const examples = `
Prints a command for OpenShift, which leaves all other entries of its DNS operator alone; elsewhere a block for the Corefile.
Nothing is changed in the cluster.

Examples:
  oooi dns-forward-snippet clusters/example-dns
  oooi dns-forward-snippet clusters/example-dns | sh           (on OpenShift)
  oooi dns-forward-snippet clusters/example-dns -o json | jq -c .patch`

export function dnsForwardSnippetCommand(terminal: Terminal): Command {
  return new Command('dns-forward-snippet')
    .description('what the DNS of the management cluster needs so that pods use the names of a hosted cluster')
    .argument('<namespace/name>', 'the DNSServer')
    .option('--kubeconfig <file>', 'the way to the API server (default: as kubectl)')
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action(async (reference: string, options: SnippetOptions) => {
      const snippet = await readCluster(terminal, options.kubeconfig, (client) => snippetFor(client, reference))
      if (!snippet.ok) return reportProblems(terminal, snippet.problems)
      const { value } = snippet
      terminal.stdout.write(options.output === 'json' ? `${JSON.stringify(value)}\n` : snippetText(value))
    })
}

async function snippetFor(client: KubeClient, reference: string): Promise<Result<Snippet>> {
  const server = found(await client.get(dnsServerKind, parseReference(reference)), `DNSServer ${reference}`)
  if (!server.ok) return server
  const address = server.value.status?.serviceClusterIP
  if (address === undefined) {
    const message = `DNSServer ${reference} has no Service yet (status.serviceClusterIP); see its conditions`
    return failed({ reason: 'ComponentPending', message })
  }
  const { name } = server.value.metadata
  const forwarding = { name, zones: domainsOf(server.value), address }
  const operator = await dnsOperatorOf(client)
  const patch = operator && { patch: openshiftPatch(forwarding, operator.spec?.servers) }
  return ok({ ...forwarding, ...patch, corefile: corefileBlock(forwarding) })
}

/** Undefined where the cluster is no OpenShift. */
async function dnsOperatorOf(client: KubeClient) {
  try {
    return await client.get(dnsOperatorKind, { name: 'default' })
  } catch (error) {
    if (isKindMissing(error)) return undefined
    throw error
  }
}

function snippetText({ patch, corefile }: Snippet): string {
  if (patch) return `oc patch dns.operator/default --type=json -p '${JSON.stringify(patch)}'\n`
  return `# Add this to the Corefile: kubectl -n kube-system edit configmap coredns\n${corefile}`
}
