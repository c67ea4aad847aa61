import { resolve } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'

/** What is wrong with a kubeconfig, or that there is none: one sentence that names the file and the field. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError'
}

const optional = z.string().optional()

const cluster = z.looseObject({
  server: z.url({ protocol: /^https?$/, error: 'must be a URL such as https://10.0.0.1:6443' }),
  'certificate-authority': optional,
  'certificate-authority-data': optional,
  'insecure-skip-tls-verify': z.boolean().optional(),
  'tls-server-name': optional,
  'proxy-url': optional,
})

const user = z.looseObject({
  token: optional,
  tokenFile: optional,
  username: optional,
  password: optional,
  'client-certificate': optional,
  'client-certificate-data': optional,
  'client-key': optional,
  'client-key-data': optional,
  as: optional,
  'as-uid': optional,
  'as-groups': z.array(z.string()).optional(),
  exec: z.looseObject({ command: z.string() }).nullish(),
  'auth-provider': z.looseObject({ name: z.string() }).nullish(),
})

const context = z.looseObject({ cluster: z.string(), user: optional, namespace: optional })

const file = z.looseObject({
  clusters: z.array(z.looseObject({ name: z.string(), cluster })).nullish(),
  users: z.array(z.looseObject({ name: z.string(), user: user.nullish() })).nullish(),
  contexts: z.array(z.looseObject({ name: z.string(), context })).nullish(),
  'current-context': optional.nullable(),
})

export type KubeconfigCluster = z.output<typeof cluster>
export type KubeconfigUser = z.output<typeof user>
type KubeconfigContext = z.output<typeof context>

export interface Kubeconfig {
  readonly currentContext: string | undefined
  readonly clusters: ReadonlyMap<string, KubeconfigCluster>
  readonly users: ReadonlyMap<string, KubeconfigUser>
  readonly contexts: ReadonlyMap<string, KubeconfigContext>
}

/**
 * Fields nobody here reads are left alone. File names inside are meant from `directory`; `where` is for messages.
 */
export function parseKubeconfig(text: string, where: string, directory: string): Kubeconfig {
  const { data, error } = file.safeParse(readYaml(text, where))
  if (error) {
    const issue = error.issues[0]
    throw new KubeconfigError(`${where}: ${issue?.path.join('.') || 'the file'}: ${issue?.message}.`)
  }
  return {
    currentContext: data['current-context'] || undefined,
    clusters: byName(data.clusters, (entry) => located(entry.cluster, ['certificate-authority'], directory)),
    users: byName(data.users, (entry) => located(entry.user ?? {}, userFileFields, directory)),
    contexts: byName(data.contexts, (entry) => entry.context),
  }
}

const userFileFields = ['client-certificate', 'client-key', 'tokenFile']

/** Merged as kubectl does it: of entries with the same name, and of current contexts, the first one counts. */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  const merged = <Value>(pick: (config: Kubeconfig) => ReadonlyMap<string, Value>): ReadonlyMap<string, Value> =>
    new Map(configs.toReversed().flatMap((config) => [...pick(config)]))
  return {
    currentContext: configs.find((config) => config.currentContext !== undefined)?.currentContext,
    clusters: merged((config) => config.clusters),
    users: merged((config) => config.users),
    contexts: merged((config) => config.contexts),
  }
}

function located<Entry extends Record<string, unknown>>(entry: Entry, fields: string[], directory: string): Entry {
  const files = fields.filter((field) => typeof entry[field] === 'string')
  return { ...entry, ...Object.fromEntries(files.map((field) => [field, resolve(directory, String(entry[field]))])) }
}

function readYaml(text: string, where: string): unknown {
  try {
    return parse(text, { logLevel: 'error' }) ?? {}
  } catch (error) {
    throw new KubeconfigError(`${where} is not YAML: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function byName<Entry extends { name: string }, Value>(
  entries: readonly Entry[] | null | undefined,
  value: (entry: Entry) => Value,
): ReadonlyMap<string, Value> {
  // toReversed: of two entries with the same name the first one counts, as everywhere in kubeconfigs.
  return new Map((entries ?? []).toReversed().map((entry) => [entry.name, value(entry)]))
}
