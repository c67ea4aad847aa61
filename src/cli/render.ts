import { Command, Option } from 'commander'
import { type Manifest, parseManifest, type Warning } from '../api/manifest.ts'
import { attachedTo, attachedToNobody, bindAttached, type Remark } from '../core/plan/attached.ts'
import { failed, ok, type Problem, type Result } from '../core/result.ts'
import { translate } from '../core/translate/translate.ts'
import { printObjects, readInput } from './manifests.ts'
import { reportProblems, reportWarning, type Terminal } from './terminal.ts'

interface RenderOptions {
  readonly file: string
  readonly output: 'yaml' | 'json'
}

const examples = `
Examples:
  oooi render -f infra.yaml
  oooi render -f infra.yaml -o json | jq '.items[].metadata.name'
  cat infra.yaml | oooi render -f -`

export function renderCommand(terminal: Terminal): Command {
  return new Command('render')
    .description('print the DHCPServer, DNSServer and ProxyServer that an Infra becomes, or all that is wrong with it')
    .requiredOption('-f, --file <infra.yaml>', 'the Infra with the clusters attached to it, - for standard input')
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['yaml', 'json']).default('yaml'))
    .addHelpText('after', examples)
    .action((options: RenderOptions) => render(terminal, options))
}

async function render(terminal: Terminal, { file, output }: RenderOptions): Promise<void> {
  const text = await readInput(terminal, file)
  const wanted = ['Infra', 'InfraClusterAttachment'] as const
  const manifest = text.ok ? parseManifest(text.value, file === '-' ? 'stdin' : file, wanted) : text
  if (!manifest.ok) return reportProblems(terminal, manifest.problems)
  for (const warning of manifest.value.warnings) reportWarning(terminal, warning)
  const components = translateAll(manifest.value, (warning) => reportWarning(terminal, warning))
  if (!components.ok) return reportProblems(terminal, components.problems)
  printObjects(terminal, components.value, output)
}

/** In the order in which a machine meets them: its address, names, the way to the control plane. */
function translateAll({ objects, locate }: Manifest, warn: (warning: Warning) => void): Result<object[]> {
  const attachments = objects.filter((object) => object.kind === 'InfraClusterAttachment')
  const infras = objects.filter((object) => object.kind === 'Infra')
  const located = ({ about, ...problem }: Remark): Problem[] => locate(about, [problem])
  const names = infras.map(({ metadata }) => metadata.name)
  const problems = attachedToNobody(attachments, names).flatMap(located)
  const rendered = infras.flatMap((infra): object[] => {
    const { bindings, mistakes, warnings } = bindAttached(attachedTo(infra, attachments))
    problems.push(...mistakes.flatMap(located))
    if (mistakes.length > 0) return []
    for (const { message, field = '', at } of warnings.flatMap(located)) if (at) warn({ message, field, at })
    const result = translate(infra, { bindings })
    if (!result.ok) problems.push(...locate(infra, result.problems))
    const { dhcp, dns, proxy } = result.ok ? result.value : {}
    return [dhcp, dns, proxy].filter((object) => object !== undefined)
  })
  return problems.length > 0 ? failed(...problems) : ok(rendered)
}
