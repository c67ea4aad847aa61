/** What a reason means and what to do about it. */
export interface ReasonText {
  readonly meaning: string
  readonly remedy: string
  /** What has to change: the manifest (`input`), the machine (`host`), or something that may heal by itself (`runtime`). */
  readonly blame: 'input' | 'host' | 'runtime'
}

export type ReasonTexts = Readonly<Record<string, ReasonText>>
