import type { Infra } from '../../api/infra.ts'
import { kinds } from '../../api/kinds.ts'
import { apiVersion } from '../../api/meta.ts'
import { ok, type Result } from '../../core/result.ts'
import type { Boot } from '../../core/trace/boots.ts'
import { type Stuck, summarize } from '../../core/trace/summary.ts'
import { defineKind } from '../../runtime/kube/kind.ts'
import type { KubeObject } from '../../runtime/kube/object.ts'
import { found, parseReference, readCluster } from '../cluster-object.ts'
import { textTable } from '../table.ts'
import type { Terminal } from '../terminal.ts'

export type Vms = NonNullable<NonNullable<Infra['status']>['vms']>

/** What an Infra in a cluster says of its machines. */
export async function vmsInCluster(
  terminal: Terminal,
  infra: string,
  kubeconfig: string | undefined,
): Promise<Result<Vms>> {
  const kind = defineKind<KubeObject & Pick<Infra, 'status'>>({
    apiVersion,
    kind: 'Infra',
    plural: kinds.Infra.plural,
    namespaced: true,
  })
  return readCluster(terminal, kubeconfig, async (client) => {
    const object = found(await client.get(kind, parseReference(infra), terminal.stop), `Infra ${infra}`)
    return object.ok ? ok(object.value.status?.vms ?? {}) : object
  })
}

/** One line of numbers, then those in a cluster that are stuck. */
export function vmsText({ known = 0, leased = 0, resolved = 0, connected = 0, stuck = [] }: Vms): string {
  const numbers = `${known} known, ${leased} with an address, ${resolved} asked for names, ${connected} reached the API server\n`
  const rows = stuck.map(({ name, address = '', stage, since = '', hint = '' }) => [name, address, stage, since, hint])
  return rows.length === 0 ? numbers : `${numbers}\n${table(rows)}`
}

/** Of `oooi up` all machines are known here. */
export function bootsText(boots: readonly Boot[], nowMs: number): string {
  const { known, leased, resolved, connected, stuck } = summarize(boots, [], nowMs)
  const isStuck = (boot: Boot): boolean => stuck.some((one: Stuck) => one.name === boot.name)
  const rows = boots.map((boot) => {
    const since = boot.sinceMs === undefined ? '' : new Date(boot.sinceMs).toISOString()
    return [boot.name, boot.address ?? '', boot.stage, since, isStuck(boot) ? boot.hint : '']
  })
  const numbers = vmsText({ known, leased, resolved, connected })
  return rows.length === 0 ? numbers : `${numbers}\n${table(rows)}`
}

function table(rows: readonly (readonly string[])[]): string {
  return textTable([['NAME', 'ADDRESS', 'STAGE', 'SINCE', 'LOOK AT'], ...rows])
}
