import type { Problem } from '../../core/result.ts'
import type { LastKnown } from '../../core/virtualingress/resolve.ts'
import type { EventRecorder } from '../../runtime/events/recorder.ts'
import { describe, type KubeObject } from '../../runtime/kube/object.ts'
import { isRoute, type Written } from './write.ts'

const mostTold = 10

/** What happened to a VirtualIngress, told as events; that its conditions changed is told elsewhere. */
export class Happenings {
  readonly #events: EventRecorder
  /** What each was warned of, so that it is told once. */
  readonly #warnings = new Map<string, string>()

  constructor(events: EventRecorder) {
    this.#events = events
  }

  /** That an Ingress was changed is no news beside where its routes lead now. */
  tell(regarding: KubeObject, { created, updated, corrected, removed }: Written, areChangesTold: boolean): void {
    const say = (objects: readonly KubeObject[], what: string, note: (object: string) => string): void => {
      for (const object of objects.filter(isRoute).slice(0, mostTold)) {
        this.#record(regarding, 'Normal', `${object.kind}${what}`, note(describe(object)))
      }
    }
    say(created, 'Created', (object) => `${object} was made`)
    if (!areChangesTold) say(updated, 'Updated', (object) => `${object} was changed`)
    say(removed, 'Deleted', (object) => `${object} was removed`)
    for (const object of corrected) {
      this.#record(regarding, 'Warning', 'DriftCorrected', `${describe(object)} was edited by somebody and put right`)
    }
  }

  /** Routes that led to one Service and lead to another now; how many. */
  tellChanges(
    regarding: KubeObject,
    before: ReadonlyMap<string, LastKnown>,
    now: ReadonlyMap<string, LastKnown>,
  ): number {
    const changes = [...now].flatMap(([key, { name }]) => {
      const known = before.get(key)?.name
      return known === undefined || known === name ? [] : [{ key, known, name }]
    })
    for (const { key, known, name } of changes.slice(0, mostTold)) {
      this.#record(regarding, 'Normal', 'BackendChanged', `${routeText(key)}: ${known} → ${name}`)
    }
    return changes.length
  }

  warn(regarding: KubeObject, warnings: readonly Problem[]): void {
    const { uid = '' } = regarding.metadata
    const text = JSON.stringify(warnings)
    if ((this.#warnings.get(uid) ?? '[]') === text) return
    this.#warnings.set(uid, text)
    for (const { reason, message } of warnings) this.#record(regarding, 'Warning', reason, message)
  }

  forget({ metadata: { uid = '' } }: KubeObject): void {
    this.#warnings.delete(uid)
  }

  #record(regarding: KubeObject, type: 'Normal' | 'Warning', reason: string, note: string): void {
    this.#events.record({ regarding, type, reason, action: 'Reconcile', note })
  }
}

/** A key begins with host, kind of path and path. */
function routeText(key: string): string {
  const [host = '', , path = ''] = JSON.parse(key.slice(0, key.indexOf(']') + 1))
  return `${host}${path}` || 'default backend'
}
