import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Where `make setup` puts the descriptors of Envoy's messages for who runs the sources. */
export const typesFile = fileURLToPath(
  new URL('../../../../node_modules/.cache/oooi/envoy-types.binpb', import.meta.url),
)

/** In a release they lie beside the program, under this name. */
export const releasedTypesName = 'envoy-types.binpb'
const releasedTypesFile = fileURLToPath(new URL(releasedTypesName, import.meta.url))

export function findTypesFile(): string {
  const found = [releasedTypesFile, typesFile].find((path) => existsSync(path))
  if (found === undefined) throw new Error(`${typesFile} is not there; make setup puts it there`)
  return found
}
