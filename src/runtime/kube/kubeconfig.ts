import { readFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { whyUnreadable } from '../host/why-unreadable.ts'
import type { Clock } from '../time/clock.ts'
import type { ClusterAccess, Environment } from './access.ts'
import { credentialsOf } from './credentials.ts'
import { inClusterAccess } from './in-cluster.ts'
import { type Kubeconfig, KubeconfigError, mergeKubeconfigs, parseKubeconfig } from './kubeconfig-file.ts'
import { pluginCredentials } from './plugin-credentials.ts'

export interface FindAccessOptions {
  readonly environment: Environment
  readonly clock: Clock
  /** `--kubeconfig`: this file and nothing else. */
  readonly path?: string | undefined
  /** `--context`. */
  readonly context?: string | undefined
  readonly serviceAccountDirectory?: string
}

/**
 * The cluster that kubectl would talk to: `--kubeconfig`, else the files of KUBECONFIG, else ~/.kube/config, else, in a
 * pod, its service account. If there is none of these it says what it looked at; it never guesses localhost.
 */
export async function findAccess(options: FindAccessOptions): Promise<ClusterAccess> {
  const { paths, mustExist } = candidates(options)
  const found: { path: string; config: Kubeconfig }[] = []
  for (const path of paths) {
    const text = await readIfThere(path, mustExist)
    if (text !== undefined) found.push({ path, config: parseKubeconfig(text, path, dirname(path)) })
  }
  const config = mergeKubeconfigs(found.map((file) => file.config))
  const isEmpty = config.contexts.size === 0 && config.clusters.size === 0
  if (!isEmpty) return accessFrom(config, found.map((file) => file.path).join(', '), options)
  const inCluster = await inClusterAccess(options.environment, options.clock, options.serviceAccountDirectory)
  if (inCluster) return inCluster
  throw new KubeconfigError(
    nothingFound(
      options,
      paths,
      found.map((file) => file.path),
    ),
  )
}

function candidates({ path, environment }: FindAccessOptions): { paths: string[]; mustExist: boolean } {
  if (path !== undefined) return { paths: [path], mustExist: true }
  if (environment.KUBECONFIG)
    return { paths: environment.KUBECONFIG.split(delimiter).filter(Boolean), mustExist: false }
  return { paths: environment.HOME ? [join(environment.HOME, '.kube', 'config')] : [], mustExist: false }
}

/** The access that one context of a kubeconfig describes. */
export function accessFrom(
  config: Kubeconfig,
  where: string,
  options: Pick<FindAccessOptions, 'clock' | 'context'>,
): ClusterAccess {
  const name = options.context ?? config.currentContext
  const known = [...config.contexts.keys()].join(', ') || 'none'
  if (name === undefined) throw new KubeconfigError(`${where} has no current-context; its contexts are: ${known}.`)
  const context = config.contexts.get(name)
  if (!context) throw new KubeconfigError(`${where} has no context '${name}'; its contexts are: ${known}.`)
  const cluster = config.clusters.get(context.cluster)
  if (!cluster)
    throw new KubeconfigError(`${where}: context '${name}' names cluster '${context.cluster}', which is not there.`)
  const user = context.user === undefined ? {} : config.users.get(context.user)
  if (!user) throw new KubeconfigError(`${where}: context '${name}' names user '${context.user}', which is not there.`)
  const needsPlugin = user.exec || user['auth-provider']
  return {
    server: cluster.server,
    namespace: context.namespace ?? 'default',
    origin: `context '${name}' of ${where}`,
    proxyUrl: cluster['proxy-url'],
    credentials: needsPlugin
      ? pluginCredentials(cluster, user, context.user ?? name, options.clock)
      : credentialsOf(cluster, user, options.clock),
  }
}

async function readIfThere(path: string, mustExist: boolean): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (isMissing && !mustExist) return undefined
    throw new KubeconfigError(`The kubeconfig ${path} cannot be read: ${whyUnreadable(error)}.`)
  }
}

function nothingFound({ environment }: FindAccessOptions, paths: readonly string[], found: readonly string[]): string {
  const files = paths.map((path) => (found.includes(path) ? `${path} names no cluster` : `${path} does not exist`))
  const looked = [
    environment.KUBECONFIG ? '' : 'KUBECONFIG is not set',
    ...(paths.length === 0 ? ['HOME is not set'] : files),
    'this is not a pod with a service account',
  ]
  const why = looked.filter(Boolean).join(', ')
  return `No Kubernetes cluster is configured: ${why}. Set KUBECONFIG or give --kubeconfig.`
}
