import { type Access, type Address, accessTo } from '../../src/lab/kubernetes/access/access.ts'
import { createAuthority, createServiceAccountKeys } from '../../src/lab/kubernetes/access/certificates.ts'
import { locateAssets } from '../../tools/kube/locate.ts'
import { type ApiServerSettings, startApiServer, writeServingCertificate } from './apiserver.ts'
import { type AuditedRequest, readAudit } from './audit.ts'
import type { Component } from './component.ts'
import { startControllerManager } from './controllermanager.ts'
import { compact, startEtcd } from './etcd.ts'
import { type TemporaryDirectory, temporaryDirectory } from './janitor.ts'
import { freePorts } from './ports.ts'

export interface ControlPlaneOptions {
  /** Adds garbage collection, namespace deletion, service accounts and what makes pods of Deployments. */
  readonly controllerManager?: boolean
  /** What is to be there from the beginning: garbage of a kind that comes later lies for half a minute. */
  readonly prepare?: readonly ((access: Access) => Promise<unknown>)[]
  /** The API server notes who asked for what: `audit()`. */
  readonly audited?: boolean
  /** Further names that its certificate is for. */
  readonly names?: readonly string[]
  /** The folder of the binaries; by default what "make setup" provided. */
  readonly assets?: string
}

/** A control plane of one's own, with its bad days. */
export interface ControlPlane extends Access, AsyncDisposable {
  readonly address: Address
  /** The process ids of its components by name. */
  readonly pids: Readonly<Record<string, number>>
  /** Freezes the API server: connections stay open and nothing answers. */
  pause(): void
  resume(): void
  /** Ends the API server, gently or with SIGKILL, and starts it again on the same address. */
  restart(signal?: NodeJS.Signals): Promise<void>
  /**
   * Forgets the history in etcd; returns the revision up to which. The API server goes on answering from its memory:
   * `restart()` too, and a watch or a list from an earlier resource version gets 410.
   */
  compactEtcd(): Promise<number>
  /** What was asked of it so far, if it is `audited`. */
  audit(): Promise<AuditedRequest[]>
  /** Ends everything and removes its files. */
  stop(): Promise<void>
}

export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const assets = options.assets ?? (await locateAssets('control-plane', process.env))
  if (!assets) throw new Error('no kube-apiserver, etcd, kube-controller-manager, kubectl here: run "make setup" first')
  const directory = await temporaryDirectory('oooi-control-plane-')
  const running = new Map<string, Component>()
  try {
    return await start(assets, directory, running, options)
  } catch (error) {
    await stop(directory, running)
    throw error
  }
}

async function start(
  assets: string,
  temporary: TemporaryDirectory,
  running: Map<string, Component>,
  { controllerManager = false, audited = false, names = [], prepare = [] }: ControlPlaneOptions,
): Promise<ControlPlane> {
  const directory = temporary.path
  const [clientPort = 0, peerPort = 0, port = 0, managerPort = 0] = await freePorts(4)
  const keep = (component: Component) => running.set(component.name, component)

  const etcd = await startEtcd(assets, directory, [clientPort, peerPort])
  keep(etcd.component)
  await createAuthority(directory)
  await Promise.all([writeServingCertificate(directory, names), createServiceAccountKeys(directory)])
  await etcd.component.until('/health was ok', async () => (await fetch(`${etcd.url}/health`)).ok)
  const settings = { assets, directory, port, etcdUrl: etcd.url, serviceAccounts: controllerManager, audited }
  const apiServer = await startApiServer(settings)
  keep(apiServer)
  const address: Address = { url: `https://127.0.0.1:${port}`, directory, assets }
  const access = await accessTo(address)
  await untilReady(apiServer, access)
  await Promise.all(prepare.map((install) => install(access)))
  if (controllerManager) {
    const user = await access.addUser('system:kube-controller-manager')
    const manager = await startControllerManager(assets, directory, user.kubeconfigPath, managerPort)
    keep(manager)
    const account = '/api/v1/namespaces/default/serviceaccounts/default'
    await manager.until(`${account} was made`, async () => (await access.request(account)).status === 200)
  }

  const stopAll = () => stop(temporary, running)
  return {
    ...access,
    address,
    get pids() {
      return Object.fromEntries([...running].map(([name, component]) => [name, component.pid]))
    },
    pause: () => running.get('kube-apiserver')?.signal('SIGSTOP'),
    resume: () => running.get('kube-apiserver')?.signal('SIGCONT'),
    restart: (signal = 'SIGTERM') => restartApiServer(settings, running, access, signal),
    compactEtcd: () => compact(etcd.url),
    audit: () => readAudit(directory),
    stop: stopAll,
    [Symbol.asyncDispose]: stopAll,
  }
}

async function restartApiServer(
  settings: ApiServerSettings,
  running: Map<string, Component>,
  access: Access,
  signal: NodeJS.Signals,
): Promise<void> {
  await running.get('kube-apiserver')?.end(signal)
  const apiServer = await startApiServer(settings)
  running.set(apiServer.name, apiServer)
  await untilReady(apiServer, access)
}

/** `/readyz` does not speak for the namespace `default`, which the API server makes by itself a little later. */
async function untilReady(apiServer: Component, access: Access): Promise<void> {
  await apiServer.until('/readyz was ok', async () => (await access.request('/readyz')).status === 200)
  const namespace = '/api/v1/namespaces/default'
  await apiServer.until(`${namespace} was made`, async () => (await access.request(namespace)).status === 200)
}

/** Nothing of it is needed again, so nobody is asked politely; clients first, so that they log no complaints. */
async function stop(directory: TemporaryDirectory, running: Map<string, Component>): Promise<void> {
  for (const component of [...running.values()].reverse()) await component.end('SIGKILL')
  running.clear()
  await directory.remove()
}
