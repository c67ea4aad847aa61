import type { ProxyServer } from '../../api/proxyserver.ts'
import { ApplySet } from '../../runtime/apply/apply-set.ts'
import { addFinalizer } from '../../runtime/controller/finalizer.ts'
import { type KubeObject, keyOf } from '../../runtime/kube/object.ts'
import { infraOfPolicy } from '../shared/caches.ts'
import { infraKind, networkPolicyKind, type OwnObject } from '../shared/kinds.ts'
import { notOurs, type Performed } from '../shared/objects.ts'
import type { Operator } from '../shared/operator.ts'
import { infraFinalizer } from './deletion.ts'
import { wantedPolicies } from './policy.ts'

/** Keeps the policies as they should be that let the proxies of Infras reach control planes elsewhere. */
export class InfraPolicies {
  readonly #operator: Operator
  readonly #set: ApplySet

  constructor(operator: Operator) {
    this.#operator = operator
    this.#set = new ApplySet(operator.writer)
  }

  /** `isKept`: there is something to do when the Infra is deleted, whether or not it has policies. */
  async apply(
    live: OwnObject,
    proxy: ProxyServer | undefined,
    isKept: boolean,
    signal: AbortSignal,
  ): Promise<Performed> {
    const { caches, writer } = this.#operator
    const key = keyOf(live.metadata)
    const desired = wantedPolicies(this.#operator, live, proxy).map((object) => ({ kind: networkPolicyKind, object }))
    const existing = caches.networkPolicies.objects
      .byIndex('byInfra', key)
      .map((object) => ({ kind: networkPolicyKind, object }))
    // Before there is anything that nobody else would remove.
    if (desired.length > 0 || isKept) await addFinalizer(writer, infraKind, live, infraFinalizer, signal)
    const isOurs = (object: KubeObject): boolean => infraOfPolicy(object).includes(key)
    const { foreign } = await this.#set.apply({ of: live.metadata.uid ?? '', desired, existing, isOurs, signal })
    return { objects: [], problems: foreign.map(notOurs), lookAgain: false }
  }

  /** For an Infra that is gone. */
  forget({ metadata: { uid = '' } }: OwnObject): void {
    this.#set.forget(uid)
  }
}
