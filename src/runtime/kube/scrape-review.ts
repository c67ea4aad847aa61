import { createHash } from 'node:crypto'
import type { Clock } from '../time/clock.ts'
import { isFields } from './answer.ts'
import type { KubeClient } from './client.ts'
import type { ReviewKind } from './kind.ts'

const tokenReview: ReviewKind = {
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenReview',
  plural: 'tokenreviews',
}
const subjectAccessReview: ReviewKind = {
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
}

export type Verdict = 'allowed' | 'unknown' | 'forbidden'

/** A refusal for less: whoever just granted the right does not want to wait. */
const rememberedMs = { allowed: 60_000, unknown: 5000, forbidden: 5000 } as const
const mostRemembered = 256

/** Asks the API server who a bearer token is and whether that user may get the path, and remembers it for a while. */
export class ScrapeReview {
  readonly #client: KubeClient
  readonly #clock: Clock
  readonly #path: string
  readonly #known = new Map<string, { readonly verdict: Verdict; readonly untilMs: number }>()

  constructor(client: KubeClient, clock: Clock, path: string) {
    this.#client = client
    this.#clock = clock
    this.#path = path
  }

  async judge(token: string): Promise<Verdict> {
    const nowMs = this.#clock.now()
    // The tokens themselves are not kept.
    const digest = createHash('sha256').update(token).digest('base64')
    const known = this.#known.get(digest)
    if (known && known.untilMs > nowMs) return known.verdict
    const verdict = await this.#ask(token)
    if (this.#known.size >= mostRemembered) this.#known.clear()
    this.#known.set(digest, { verdict, untilMs: nowMs + rememberedMs[verdict] })
    return verdict
  }

  async #ask(token: string): Promise<Verdict> {
    const { authenticated, user } = await this.#client.review(tokenReview, { token })
    if (authenticated !== true || !isFields(user)) return 'unknown'
    const nonResourceAttributes = { path: this.#path, verb: 'get' }
    const subject = { user: user.username, groups: user.groups, uid: user.uid, extra: user.extra }
    const { allowed } = await this.#client.review(subjectAccessReview, { ...subject, nonResourceAttributes })
    return allowed === true ? 'allowed' : 'forbidden'
  }
}
