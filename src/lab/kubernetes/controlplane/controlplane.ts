import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RunningProcess, startProcess } from '../../host/process.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { inNamespace } from '../../network/build.ts'
import { type Access, accessTo } from '../access/access.ts'
import {
  createAuthority,
  createServiceAccountKeys,
  issueClient,
  issueServer,
  readAuthority,
} from '../access/certificates.ts'
import { kubeconfigText } from '../access/kubeconfig.ts'
import type { Assets } from '../assets.ts'
import type { ClusterPlan } from '../plan.ts'
import { startRelay } from '../relay/relay.ts'
import { clusterApiServerFlags, controllerManagerFlags, etcdFlags, etcdUrls, schedulerFlags } from './flags.ts'

/** etcd, API server, controller manager and scheduler in a namespace of their own. */
export interface ControlPlane {
  /** From the host: over a loopback port. */
  readonly access: Access
  /** A kubeconfig with the API server's own address, for those inside the lab. */
  kubeconfig(user: string, groups?: readonly string[]): Promise<string>
  readonly ca: string
  /** Freezes the API server: connections stay open and nothing answers. */
  pause(): void
  resume(): void
  /** Ends the API server; nobody can connect until it is started again. */
  stop(): Promise<void>
  start(): Promise<void>
}

/** What a second one, of a hosted cluster, differs in. */
interface Peculiarities {
  /** Of its files. */
  readonly folder?: string
  /** Further names that its certificate is for. */
  readonly names?: readonly string[]
  /** Without controller manager and scheduler, where there are no nodes. */
  readonly bare?: boolean
}

export async function startControlPlane(
  ledger: Ledger,
  plan: ClusterPlan,
  assets: Assets,
  { folder: ownFolder = 'kube', names = [], bare = false }: Peculiarities = {},
): Promise<ControlPlane> {
  const { namespace, address, port } = plan.controlPlane
  const files = join(ledger.directory, ownFolder)
  mkdirSync(files, { mode: 0o700 })
  const run = (binary: string, flags: readonly string[]): RunningProcess => {
    const folder = binary === 'kube-scheduler' ? assets.node : assets.controlPlane
    return startProcess(ledger, {
      what: binary,
      command: inNamespace(namespace, [join(folder, binary), ...flags]),
      logFile: join(files, `${binary}.log`),
      graceMs: 0,
    })
  }

  run('etcd', etcdFlags(join(files, 'etcd'), etcdUrls.client, etcdUrls.peer))
  await createAuthority(files)
  const ca = await readAuthority(files)
  const kubeconfig = async (user: string, groups: readonly string[] = []): Promise<string> =>
    kubeconfigText(`https://${address}:${port}`, ca, user, await issueClient(files, user, groups))
  const userFile = async (name: string): Promise<void> =>
    writeFileSync(join(files, `${name}.kubeconfig`), await kubeconfig(`system:${name}`), { mode: 0o600 })
  await Promise.all([
    writeKeyPair(files, 'apiserver', issueServer(files, [...serverNames, ...names], [address, '10.96.0.1'])),
    writeKeyPair(files, 'kubelet-client', issueClient(files, 'kube-apiserver-kubelet-client', ['system:masters'])),
    createServiceAccountKeys(files),
    userFile('kube-controller-manager'),
    userFile('kube-scheduler'),
  ])

  let apiServer = run('kube-apiserver', clusterApiServerFlags(plan, files))
  const localPort = await startRelay(ledger, namespace, address, port)
  const access = await accessTo({
    url: `https://127.0.0.1:${localPort}`,
    directory: files,
    assets: assets.controlPlane,
  })
  await untilReady(apiServer, access)
  if (!bare) {
    run('kube-controller-manager', controllerManagerFlags(files))
    run('kube-scheduler', schedulerFlags(files))
  }

  return {
    access,
    kubeconfig,
    ca,
    pause: () => void process.kill(apiServer.pid, 'SIGSTOP'),
    resume: () => void process.kill(apiServer.pid, 'SIGCONT'),
    stop: () => apiServer.stop(),
    start: async () => {
      apiServer = run('kube-apiserver', clusterApiServerFlags(plan, files))
      await untilReady(apiServer, access)
    },
  }
}

const serverNames = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc']

async function writeKeyPair(files: string, name: string, issued: ReturnType<typeof issueServer>): Promise<void> {
  const { key, certificate } = await issued
  writeFileSync(join(files, `${name}.key`), key, { mode: 0o600 })
  writeFileSync(join(files, `${name}.crt`), certificate)
}

const readyWithinMs = 60_000

async function untilReady(apiServer: RunningProcess, access: Access): Promise<void> {
  const deadlineMs = performance.now() + readyWithinMs
  for (;;) {
    const answer = await access.request('/readyz', { timeoutMs: 2000 }).catch(() => undefined)
    if (answer?.status === 200) return
    if (apiServer.hasEnded() || performance.now() > deadlineMs) {
      const why = apiServer.hasEnded() ? `ended (${await apiServer.ended})` : 'took too long'
      throw new Error(`kube-apiserver ${why} before it was ready. The end of its log:\n${apiServer.tail().join('\n')}`)
    }
    await sleep(50)
  }
}
