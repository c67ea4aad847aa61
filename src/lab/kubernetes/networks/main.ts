import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { type Ask, apiOf } from './api.ts'
import { type PluginConfig, pluginsOf } from './delegate.ts'
import { attachedStatus, type CniResult, podNetworkStatus, resultSchema } from './result.ts'
import { mayUse, type NetworkSelection, networksAnnotation, parseSelections, statusAnnotation } from './selection.ts'

/**
 * A CNI plugin that stands in for Multus, which cannot be had here: chained after the pod network's own plugin, it
 * reads which networks the pod asks for, calls the plugins that the NetworkAttachmentDefinitions name, and reports on
 * the pod what it got. It does what oooi relies on and no more: no default-route, no DNS, no delegation to files.
 */

const configSchema = z.object({ kubeconfig: z.string(), binDirectory: z.string(), prevResult: resultSchema.optional() })
const podSchema = z.object({ metadata: z.object({ annotations: z.record(z.string(), z.string()).optional() }) })
const definitionSchema = z.object({ spec: z.object({ config: z.string() }) })

/** What was called at ADD is called again at DEL, whatever has become of the definitions and of the API server. */
const attachedDirectory = '/var/lib/cni/oooi-networks'

interface Attachment {
  readonly interface: string
  readonly plugins: readonly PluginConfig[]
}

const environment = process.env
const command = environment.CNI_COMMAND ?? ''
const containerId = environment.CNI_CONTAINERID ?? ''
const attachedFile = join(attachedDirectory, `${containerId}.json`)

async function main(): Promise<void> {
  if (command === 'VERSION') return answer({ cniVersion: '1.0.0', supportedVersions: ['0.3.1', '0.4.0', '1.0.0'] })
  const input: unknown = JSON.parse(readFileSync(0, 'utf8'))
  const config = configSchema.parse(input)
  if (command === 'DEL') return detachAll(config.binDirectory)
  if (command !== 'ADD') return
  const previous = z.object({ prevResult: z.unknown() }).parse(input).prevResult
  await attachAll(config)
  answer(previous)
}

async function attachAll({ kubeconfig, binDirectory, prevResult = {} }: z.infer<typeof configSchema>): Promise<void> {
  const args = Object.fromEntries((environment.CNI_ARGS ?? '').split(';').map((pair) => pair.split('=')))
  const [namespace, name]: unknown[] = [args.K8S_POD_NAMESPACE, args.K8S_POD_NAME]
  if (typeof namespace !== 'string' || typeof name !== 'string') return
  const ask = apiOf(kubeconfig)
  const podPath = `/api/v1/namespaces/${namespace}/pods/${name}`
  const pod = podSchema.parse(await found(ask, podPath, `pod ${namespace}/${name}`))
  const annotation = pod.metadata.annotations?.[networksAnnotation]
  if (!annotation) return

  const statuses = [podNetworkStatus(prevResult)]
  const attached: Attachment[] = []
  for (const selection of parseSelections(annotation, namespace)) {
    const plugins = await definedPlugins(ask, namespace, selection)
    attached.push({ interface: selection.interface, plugins })
    mkdirSync(attachedDirectory, { recursive: true })
    writeFileSync(attachedFile, JSON.stringify(attached))
    statuses.push(attachedStatus(selection, addChain(plugins, selection.interface, binDirectory)))
  }
  const body = { metadata: { annotations: { [statusAnnotation]: JSON.stringify(statuses) } } }
  const contentType = 'application/merge-patch+json'
  const { status } = await ask(`${podPath}/status`, { method: 'PATCH', body, contentType })
  if (status !== 200) throw new Error(`pod ${namespace}/${name}: its network status could not be written (${status})`)
}

async function definedPlugins(ask: Ask, podNamespace: string, selection: NetworkSelection): Promise<PluginConfig[]> {
  const what = `network-attachment-definition ${selection.namespace}/${selection.name}`
  if (!mayUse(podNamespace, selection)) {
    throw new Error(`${what}: pods of namespace ${podNamespace} may use those of ${podNamespace} and default only`)
  }
  const path = `/apis/k8s.cni.cncf.io/v1/namespaces/${selection.namespace}/network-attachment-definitions/${selection.name}`
  try {
    return pluginsOf(definitionSchema.parse(await found(ask, path, what)).spec.config, selection)
  } catch (error) {
    throw error instanceof NotFound ? error : new Error(`${what}: its config cannot be used: ${String(error)}`)
  }
}

class NotFound extends Error {}

async function found(ask: Ask, path: string, what: string): Promise<unknown> {
  const { status, body } = await ask(path)
  if (status === 200) return body
  if (status === 404) throw new NotFound(`${what} not found`)
  throw new Error(`${what}: the API server answered ${status}`)
}

function addChain(plugins: readonly PluginConfig[], interfaceName: string, binDirectory: string): CniResult {
  let result: CniResult = {}
  for (const [index, plugin] of plugins.entries()) {
    const config = index === 0 ? plugin : { ...plugin, prevResult: result }
    result = resultSchema.parse(JSON.parse(call('ADD', config, interfaceName, binDirectory)))
  }
  return result
}

function detachAll(binDirectory: string): void {
  for (const attachment of readAttached().toReversed()) {
    for (const plugin of attachment.plugins.toReversed()) call('DEL', plugin, attachment.interface, binDirectory)
  }
  rmSync(attachedFile, { force: true })
}

function readAttached(): Attachment[] {
  try {
    return JSON.parse(readFileSync(attachedFile, 'utf8'))
  } catch {
    return []
  }
}

function call(verb: string, config: PluginConfig, interfaceName: string, binDirectory: string): string {
  const env = { ...environment, CNI_COMMAND: verb, CNI_IFNAME: interfaceName, CNI_PATH: binDirectory }
  try {
    return execFileSync(join(binDirectory, config.type), { input: JSON.stringify(config), env, encoding: 'utf8' })
  } catch (error) {
    const said = error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error)
    throw new Error(`${interfaceName}: plugin ${config.type} failed: ${said.trim() || String(error)}`)
  }
}

function answer(value: unknown): void {
  process.stdout.write(JSON.stringify(value))
}

main().catch((error: unknown) => {
  const msg = error instanceof Error ? error.message : String(error)
  answer({ cniVersion: '1.0.0', code: 100, msg })
  process.exitCode = 1
})
