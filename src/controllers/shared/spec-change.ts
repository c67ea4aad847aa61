import type { Informer } from '../../runtime/cache/informer.ts'
import type { OwnObject } from './kinds.ts'

/** For whoever cares what an object asks for, but not for what is reported of it. */
export function onSpecChange(informer: Informer<OwnObject>, handler: (object: OwnObject) => void): void {
  informer.onChange((change) => {
    const isReport =
      change.type === 'updated' && change.object.metadata.generation === change.previous.metadata.generation
    if (!isReport) handler(change.object)
  })
}
