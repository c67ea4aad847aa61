import { Command, Option } from 'commander'
import packageJson from '../../../package.json' with { type: 'json' }
import { customResourceDefinitions } from '../../api/crd/definition.ts'
import { toYaml } from '../../api/yaml.ts'
import { failed, type Result } from '../../core/result.ts'
import { KubeClient } from '../../runtime/kube/client.ts'
import { findAccess } from '../../runtime/kube/kubeconfig.ts'
import { KubeconfigError } from '../../runtime/kube/kubeconfig-file.ts'
import { Transport } from '../../runtime/kube/transport.ts'
import { systemClock } from '../../runtime/time/clock.ts'
import { reportProblems, type Terminal } from '../terminal.ts'
import { type InstalledKind, installKinds } from './install.ts'

interface CrdsOptions {
  readonly install: boolean
  readonly output: 'yaml' | 'json'
  readonly kubeconfig?: string
  readonly context?: string
}

const examples = `
The cluster is found as kubectl finds it: --kubeconfig, else KUBECONFIG, else ~/.kube/config.

Examples:
  oooi crds > crds.yaml
  oooi crds | kubectl diff -f -
  oooi crds --install --context staging`

export function crdsCommand(terminal: Terminal): Command {
  return new Command('crds')
    .description('print the CustomResourceDefinitions of all kinds, or install them into a cluster')
    .option('--install', 'apply them to the cluster, and wait until it serves them', false)
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['yaml', 'json']).default('yaml'))
    .option('--kubeconfig <file>', 'this kubeconfig and no other')
    .option('--context <name>', 'a context of it other than the current one')
    .addHelpText('after', examples)
    .action((options: CrdsOptions) => crds(terminal, options))
}

async function crds(terminal: Terminal, options: CrdsOptions): Promise<void> {
  if (!options.install) {
    const definitions = customResourceDefinitions()
    terminal.stdout.write(options.output === 'json' ? toJsonList(definitions) : toYaml(definitions))
    return
  }
  const installed = await install(terminal, options)
  if (!installed.ok) return reportProblems(terminal, installed.problems)
  terminal.stdout.write(
    options.output === 'json'
      ? `${JSON.stringify(installed.value)}\n`
      : installed.value.map(({ name, change }) => `${name} ${change}\n`).join(''),
  )
}

async function install(terminal: Terminal, options: CrdsOptions): Promise<Result<InstalledKind[]>> {
  const clock = systemClock
  const { kubeconfig: path, context } = options
  const access = await findAccess({ environment: terminal.env, clock, path, context }).catch((error: unknown) => {
    if (error instanceof KubeconfigError) return error
    throw error
  })
  if (access instanceof KubeconfigError) return failed({ reason: 'NoCluster', message: access.message })
  const userAgent = `oooi/${packageJson.version}`
  const transport = new Transport(access, { clock, random: Math.random, userAgent, callTimeoutMs: 10_000 })
  try {
    return await installKinds(new KubeClient(transport, 'oooi'), clock, terminal.stop)
  } finally {
    await transport.close()
  }
}

function toJsonList(items: readonly object[]): string {
  return `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2)}\n`
}
