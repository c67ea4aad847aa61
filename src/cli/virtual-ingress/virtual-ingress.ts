import { Command, Option } from 'commander'
import { parseManifest } from '../../api/manifest.ts'
import type { VirtualIngress } from '../../api/virtualingress.ts'
import type { Problem } from '../../core/result.ts'
import { generate } from '../../core/virtualingress/generate.ts'
import { describeBackend, virtualIngressStatements } from '../../core/virtualingress/status.ts'
import { exitCode } from '../exit.ts'
import { printObjects, readInput } from '../manifests.ts'
import { reportProblems, type Terminal } from '../terminal.ts'
import { servicesInCluster, servicesInFile } from './services.ts'

interface PreviewOptions {
  readonly file: string
  readonly services?: string
  readonly kubeconfig?: string
  readonly namespace: string
  readonly output: 'yaml' | 'json'
}

const more = `
Prints what would be made if it were applied for the first time, and on standard error which backend has no good
Service and why.

Examples:
  oooi virtual-ingress preview -f coder.yaml                          with the Services of the current cluster
  kubectl get services,endpointslices -n apps -o yaml > services.yaml
  oooi virtual-ingress preview -f coder.yaml --services services.yaml  without one, for CI

Exit codes: 0 every backend has a Service; 1 one has none, or more than one; 3 the manifest is wrong.`

export function virtualIngressCommand(terminal: Terminal): Command {
  const preview = new Command('preview')
    .description('print the Ingress or HTTPRoutes that a VirtualIngress becomes, or why not')
    .requiredOption('-f, --file <virtualingress.yaml>', 'the VirtualIngresses, - for standard input')
    .option('--services <file>', 'Services and EndpointSlices to choose from; default: those of the cluster')
    .option('--kubeconfig <file>', 'the cluster; default: as kubectl finds it')
    .option('-n, --namespace <namespace>', 'of objects that name none', 'default')
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['yaml', 'json']).default('yaml'))
    .addHelpText('after', more)
    .action((options: PreviewOptions) => runPreview(terminal, options))
  return new Command('virtual-ingress').description('see what a VirtualIngress becomes').addCommand(preview)
}

async function runPreview(terminal: Terminal, options: PreviewOptions): Promise<void> {
  const { file, namespace: fallback, output } = options
  const text = await readInput(terminal, file)
  const manifest = text.ok ? parseManifest(text.value, file === '-' ? 'stdin' : file, ['VirtualIngress']) : text
  if (!manifest.ok) return reportProblems(terminal, manifest.problems)
  const { objects, locate } = manifest.value
  const wanted = objects
    .filter((object) => object.kind === 'VirtualIngress')
    .map((object) => ({ object, placed: withNamespace(object, fallback) }))
  const namespaces = new Set(wanted.map(({ placed }) => placed.metadata.namespace ?? fallback))
  const world =
    options.services === undefined
      ? await servicesInCluster(terminal, options.kubeconfig, [...namespaces])
      : await servicesInFile(options.services, fallback)
  if (!world.ok) return reportProblems(terminal, world.problems)

  const problems: Problem[] = []
  const made: object[] = []
  for (const { object, placed } of wanted) {
    // Services are looked for in its namespace, which the manifest may have left to -n.
    const name = `${placed.metadata.namespace}/${placed.metadata.name}`
    const generation = generate(placed, world.value, { last: new Map(), isPublished: false })
    problems.push(...locate(object, generation.problems))
    made.push(...generation.wanted)
    for (const { message } of generation.warnings) terminal.stderr.write(`oooi: warning: ${name}: ${message}\n`)
    for (const backend of generation.backends) {
      if (backend.state === 'Resolved') continue
      terminal.stderr.write(`oooi: ${name}: ${describeBackend(backend)} [${backend.state}]\n`)
      terminal.exitCode = exitCode.failed
    }
    if (generation.is !== 'published' && generation.problems.length === 0) {
      const observed = { ...generation, generation: 0, outcome: { is: generation.is } }
      const programmed = virtualIngressStatements(observed).find(({ type }) => type === 'Programmed')
      terminal.stderr.write(`oooi: ${name}: ${programmed?.message}\n`)
    }
  }
  if (problems.length > 0) return reportProblems(terminal, problems)
  if (made.length > 0) printObjects(terminal, made, output)
}

function withNamespace(object: VirtualIngress, fallback: string): VirtualIngress {
  return { ...object, metadata: { ...object.metadata, namespace: object.metadata.namespace ?? fallback } }
}
