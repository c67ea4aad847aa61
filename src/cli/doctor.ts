import { Command, InvalidArgumentError, Option } from 'commander'
import { type Diagnosis, examine } from '../controllers/doctor/examine.ts'
import { createCaches } from '../controllers/shared/caches.ts'
import { neededCaches } from '../controllers/shared/names.ts'
import { preflight } from '../controllers/shared/preflight.ts'
import type { HostedClusterRef } from '../core/discover/reference.ts'
import { failed, ok, type Result } from '../core/result.ts'
import { KubeClient } from '../runtime/kube/client.ts'
import { ApiError } from '../runtime/kube/error.ts'
import { findAccess } from '../runtime/kube/kubeconfig.ts'
import { KubeconfigError } from '../runtime/kube/kubeconfig-file.ts'
import { Transport } from '../runtime/kube/transport.ts'
import { createLogger } from '../runtime/observe/log.ts'
import { sleep, systemClock } from '../runtime/time/clock.ts'
import { exitCode, remedyOf } from './exit.ts'
import { outputOption } from './options.ts'
import { reportProblems, type Terminal } from './terminal.ts'

interface DoctorOptions {
  readonly kubeconfig?: string
  readonly context?: string
  readonly hostedCluster?: HostedClusterRef
  readonly allowAnyTargetNamespace?: true
  readonly output: string
}

const more = `
Looks at everything the operator looks at and decides by the same rules, but changes nothing: kinds and rights, Infras and
attachments, HostedClusters and what they publish, NodePools, NetworkAttachmentDefinitions, addresses that two want,
policies left by the Go program. It needs the right to list these kinds in all namespaces.

Exit code 0 if machines can join, 1 if something is in the way, 4 if the cluster cannot be examined.

Examples:
  oooi doctor
  oooi doctor --hosted-cluster clusters/foo       before its Infra is written, too
  oooi doctor -o json | jq '.[].findings[].reason'`

export function doctorCommand(terminal: Terminal): Command {
  return new Command('doctor')
    .description('find out why machines would not join, before they are booted')
    .option('--kubeconfig <file>', 'this kubeconfig and no other')
    .option('--context <name>', 'this context of the kubeconfig')
    .addOption(
      new Option('--hosted-cluster <namespace/name>', 'only what concerns this HostedCluster').argParser(
        parseReference,
      ),
    )
    .option('--allow-any-target-namespace', 'if the manager runs with it')
    .addOption(outputOption())
    .addHelpText('after', more)
    .action((options: DoctorOptions) => doctor(terminal, options))
}

async function doctor(terminal: Terminal, options: DoctorOptions): Promise<void> {
  const result = await diagnose(terminal, options)
  if (!result.ok) return reportProblems(terminal, result.problems)
  const diagnoses = result.value
  terminal.stdout.write(options.output === 'json' ? `${JSON.stringify(withRemedies(diagnoses))}\n` : textOf(diagnoses))
  const isIll = diagnoses.some(({ findings }) => findings.some(({ isWarning }) => !isWarning))
  if (isIll) terminal.exitCode = exitCode.failed
}

const longestLookMs = 30_000

async function diagnose(terminal: Terminal, options: DoctorOptions): Promise<Result<Diagnosis[]>> {
  const clock = systemClock
  const random = Math.random
  const { kubeconfig: path, context } = options
  const access = await findAccess({ environment: terminal.env, clock, path, context }).catch((error: unknown) => {
    if (error instanceof KubeconfigError) return error
    throw error
  })
  if (access instanceof KubeconfigError) return failed({ reason: 'NoCluster', message: access.message })
  const transport = new Transport(access, { clock, random, userAgent: 'oooi-doctor', callTimeoutMs: 10_000 })
  const client = new KubeClient(transport, 'oooi')
  const log = createLogger('error', terminal.stderr)
  try {
    const wrong = await preflight(client, ['infra'], terminal.stop)
    if (wrong.length > 0) return failed(...wrong)
    const caches = createCaches({ client, clock, random, log })
    const informers = neededCaches(caches, ['infra'], { crossNamespace: false, gatewayApi: false })
    for (const informer of informers) informer.start()
    // Ended below: a timer that nobody waits for any more would keep the process alive.
    const wait = new AbortController()
    const late = sleep(clock, longestLookMs, AbortSignal.any([wait.signal, terminal.stop])).then(() => 'late' as const)
    const seen = await Promise.race([Promise.all(informers.map((informer) => informer.synced)), late])
    wait.abort()
    const blind = informers.filter(({ hasSynced }) => !hasSynced)
    const settings = { anyTargetNamespace: options.allowAnyTargetNamespace === true, targetCidrs: [] }
    const diagnoses = seen === 'late' ? [] : examine({ caches, settings }, options.hostedCluster)
    await Promise.all(informers.map((informer) => informer.stop()))
    if (seen !== 'late') return ok(diagnoses)
    const why = blind.map(({ kind, lastError }) => `${kind} (${lastError?.message ?? 'no answer'})`).join('; ')
    return failed({ reason: 'ClusterUnusable', message: `cannot be seen: ${why}` })
  } catch (error) {
    if (error instanceof ApiError) return failed({ reason: 'ClusterUnreachable', message: error.message })
    throw error
  } finally {
    await transport.close()
  }
}

function withRemedies(diagnoses: readonly Diagnosis[]) {
  return diagnoses.map(({ subject, findings }) => ({
    subject,
    findings: findings.map((finding) => ({ ...finding, remedy: remedyOf(finding.reason) })),
  }))
}

function textOf(diagnoses: readonly Diagnosis[]): string {
  return diagnoses
    .map(({ subject, findings }) => {
      const lines = findings.map(
        ({ isWarning, reason, message }) =>
          `  ${isWarning ? 'odd ' : 'BAD '} ${reason}: ${message}\n       ${remedyOf(reason)}\n`,
      )
      return `${subject}: ${findings.length === 0 ? 'all well' : ''}`.trimEnd().concat('\n', ...lines)
    })
    .join('')
}

function parseReference(text: string): HostedClusterRef {
  const [namespace = '', name = '', ...rest] = text.split('/')
  if (namespace === '' || name === '' || rest.length > 0) throw new InvalidArgumentError('It must be namespace/name.')
  return { name, namespace }
}
