import { Command, Option } from 'commander'
import { type Manifest, parseManifest } from '../api/manifest.ts'
import { failed, ok, type Result } from '../core/result.ts'
import { translate } from '../core/translate/translate.ts'
import { printObjects, readInput } from './manifests.ts'
import { reportProblems, type Terminal } from './terminal.ts'

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
    .requiredOption('-f, --file <infra.yaml>', 'the Infra, - for standard input')
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['yaml', 'json']).default('yaml'))
    .addHelpText('after', examples)
    .action((options: RenderOptions) => render(terminal, options))
}

async function render(terminal: Terminal, { file, output }: RenderOptions): Promise<void> {
  const text = await readInput(terminal, file)
  const manifest = text.ok ? parseManifest(text.value, file === '-' ? 'stdin' : file, ['Infra']) : text
  if (!manifest.ok) return reportProblems(terminal, manifest.problems)
  for (const { message, field, at } of manifest.value.warnings) {
    terminal.stderr.write(`oooi: warning: ${at.file}:${at.line}: ${field ? `${field}: ` : ''}${message}\n`)
  }
  const components = translateAll(manifest.value)
  if (!components.ok) return reportProblems(terminal, components.problems)
  printObjects(terminal, components.value, output)
}

/** In the order in which a machine meets them: its address, names, the way to the control plane. */
function translateAll({ objects, locate }: Manifest): Result<object[]> {
  const results = objects.flatMap((object) => (object.kind === 'Infra' ? [{ object, result: translate(object) }] : []))
  const problems = results.flatMap(({ object, result }) => (result.ok ? [] : locate(object, result.problems)))
  if (problems.length > 0) return failed(...problems)
  return ok(
    results.flatMap(({ result }) =>
      result.ok
        ? [result.value.dhcp, result.value.dns, result.value.proxy].filter((object) => object !== undefined)
        : [],
    ),
  )
}
