import type { Infra } from '../../api/infra.ts'
import type { InfraClusterAttachment } from '../../api/infraclusterattachment.ts'
import { type Manifest, onlyObject, parseManifest, type Warning } from '../../api/manifest.ts'
import { ok, type Result } from '../../core/result.ts'

/** What one file holds: an Infra, clusters that are attached to it or to one of another file, or both. */
export interface InfraFile {
  readonly infra: Infra | undefined
  readonly attachments: readonly InfraClusterAttachment[]
  readonly locate: Manifest['locate']
}

export type Warn = (warning: Warning) => void

export function readInfraFile(text: string, file: string, warn: Warn): Result<InfraFile> {
  const manifest = parseManifest(text, file, ['Infra', 'InfraClusterAttachment'])
  if (!manifest.ok) return manifest
  const { objects, warnings, locate } = manifest.value
  const attachments = objects.filter((object) => object.kind === 'InfraClusterAttachment')
  const hasInfra = objects.length > attachments.length
  const infra = hasInfra ? onlyObject('Infra', manifest.value, file) : ok(undefined)
  if (!infra.ok) return infra
  warnings.forEach(warn)
  return ok({ infra: infra.value, attachments, locate })
}
