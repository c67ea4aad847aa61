import { readdirSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import type { Access } from '../../src/lab/kubernetes/access/access.ts'
import { until } from '../../src/lab/testing.ts'
import { accountKubeconfig } from '../envtest/account.ts'
import { type Component, startComponent } from '../envtest/component.ts'
import { helmFor } from '../envtest/helm.ts'
import { freePorts } from '../envtest/ports.ts'
import { kyverno } from './availability.ts'

const namespace = 'kyverno'
const startWithinMs = 300_000

/**
 * Kyverno's admission and background controllers as processes of this machine, each with the rights that Kyverno's own
 * chart gives to its account and no others. What the chart would run in pods stays pending: there are no nodes.
 */
export function useKyverno(plane: () => Access): { untilAskedAbout(...resources: string[]): Promise<void> } {
  const running: Component[] = []
  let directory = ''
  beforeAll(async () => {
    directory = join(dirname(plane().admin.kubeconfigPath), 'kyverno')
    await mkdir(directory)
    await installKinds(plane())
    await plane().kubectl(['create', 'namespace', namespace])
    const off = ['grafana.enabled', 'cleanupController.enabled', 'reportsController.enabled', 'webhooksCleanup.enabled']
    const values = ['--set', ['crds.install', ...off].map((name) => `${name}=false`).join(',')]
    await helmFor(plane, namespace)('install', 'kyverno', kyverno().chart, ...values)
    const [webhooks = 0, ...metrics] = await freePorts(3)
    const numbers = metrics.map((port) => [`--metricsPort=${port}`, '--controllerRuntimeMetricsAddress=0'])
    const [forOne = [], forOther = []] = numbers
    running.push(await start('kyverno-background-controller', kyverno().background, forOne))
    const admission = [...forOther, ...admissionFlags(webhooks)]
    running.push(await start('kyverno-admission-controller', kyverno().admission, admission))
  }, startWithinMs)
  afterAll(() => Promise.all(running.map((component) => component.end('SIGKILL'))))
  return {
    /** Waits until the API server would ask it about all of these, which it does some time after a policy was made. */
    untilAskedAbout: async (...resources) => {
      for (const component of running.toReversed()) {
        await component.until(`it is asked about ${resources.join(', ')}`, async () => {
          const kinds = 'validatingwebhookconfigurations,mutatingwebhookconfigurations'
          const hooks = await plane().kubectl(['get', kinds, '-o', 'json'])
          return resources.every((resource) => hooks.includes(`"${resource}"`))
        })
      }
    },
  }

  async function start(account: string, binary: string, flags: readonly string[]): Promise<Component> {
    const kubeconfig = await accountKubeconfig(plane(), namespace, account)
    return startComponent(binary, [`--kubeconfig=${kubeconfig}`, ...flags], join(directory, `${account}.log`), {
      KYVERNO_NAMESPACE: namespace,
      KYVERNO_SERVICEACCOUNT_NAME: account,
      KYVERNO_ROLE_NAME: account.replace('kyverno-', 'kyverno:'),
      KYVERNO_DEPLOYMENT: account,
      KYVERNO_POD_NAME: account,
      KYVERNO_SVC: 'kyverno-svc',
      INIT_CONFIG: 'kyverno',
      METRICS_CONFIG: 'kyverno-metrics',
    })
  }
}

function admissionFlags(port: number): string[] {
  return [
    `--serverIP=127.0.0.1:${port}`,
    `--webhookServerPort=${port}`,
    `--backgroundServiceAccountName=system:serviceaccount:${namespace}:kyverno-background-controller`,
    `--caSecretName=kyverno-svc.${namespace}.svc.kyverno-tls-ca`,
    `--tlsSecretName=kyverno-svc.${namespace}.svc.kyverno-tls-pair`,
  ]
}

async function installKinds(plane: Access): Promise<void> {
  const folders = readdirSync(kyverno().crds).flatMap((folder) => ['-f', join(kyverno().crds, folder)])
  await plane.kubectl(['apply', '--server-side', ...folders])
  // The last to be served; asked for by list, since an API server that is just taking them in answers 404.
  const kinds = ['validatingpolicies', 'generatingpolicies', 'mutatingpolicies', 'policyreports', 'updaterequests']
  await until('the kinds of Kyverno', () =>
    plane.kubectl(['get', kinds.join(','), '-A']).then(
      () => true,
      () => undefined,
    ),
  )
}
