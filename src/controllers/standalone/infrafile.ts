import type { Infra } from '../../api/infra.ts'
import { onlyObject, parseManifest } from '../../api/manifest.ts'
import { failed, type Result } from '../../core/result.ts'
import { translate } from '../../core/translate/translate.ts'
import type { Logger } from '../../runtime/observe/log.ts'

/** Reads the Infra of a file and makes sure it can be translated, while the lines are still known. */
export function readInfraFile(text: string, file: string, log: Logger): Result<Infra> {
  const manifest = parseManifest(text, file, ['Infra'])
  if (!manifest.ok) return manifest
  const infra = onlyObject('Infra', manifest.value, file)
  if (!infra.ok) return infra
  for (const { message, field, at } of manifest.value.warnings) log.warn({ ...at, field }, message)
  const translated = translate(infra.value)
  return translated.ok ? infra : failed(...manifest.value.locate(infra.value, translated.problems))
}
