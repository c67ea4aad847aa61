import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { attachedTo, bindAttached } from '../core/plan/attached.ts'
import { translate } from '../core/translate/translate.ts'
import { parseManifest } from './manifest.ts'

const directory = new URL('../../config/samples/', import.meta.url)
const samples = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'))

test.each(samples)('%s is taken as it is, and does what it says', (name) => {
  const result = parseManifest(readFileSync(new URL(name, directory), 'utf8'), name, undefined, modeOf(name))
  expect(result).toMatchObject({ ok: true, value: { warnings: [] } })
  const objects = result.ok ? result.value.objects : []
  const attachments = objects.filter((object) => object.kind === 'InfraClusterAttachment')
  for (const object of objects) {
    // One without a domain of its own needs its HostedCluster first.
    if (object.kind !== 'Infra') continue
    const { bindings, mistakes, warnings } = bindAttached(attachedTo(object, attachments))
    if (modeOf(name) === 'file') expect([mistakes, warnings]).toEqual([[], []])
    if (bindings?.length || object.spec.infraComponents.dns?.clusterName)
      expect(translate(object, { bindings })).toMatchObject({ ok: true, value: { dhcp: {}, dns: {}, proxy: {} } })
  }
})

/** Only the samples for a host without Kubernetes may leave out what a cluster needs. */
function modeOf(name: string) {
  return name.startsWith('standalone/') ? 'file' : 'cluster'
}

test('the samples for clusters can all be there at once', () => {
  const objects = samples.flatMap((name) => {
    const result = parseManifest(readFileSync(new URL(name, directory), 'utf8'), name, undefined, modeOf(name))
    return result.ok && modeOf(name) === 'cluster' ? result.value.objects : []
  })
  const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`)
  expect(new Set(names).size).toBe(names.length)
  const networks = objects.flatMap((object) => {
    if (object.kind !== 'Infra') return []
    const { networkAttachmentNamespace = object.metadata.namespace, ...network } = object.spec.networkConfig
    return `${networkAttachmentNamespace}/${network.networkAttachmentDefinition}`
  })
  expect(new Set(networks).size).toBe(networks.length)
})
