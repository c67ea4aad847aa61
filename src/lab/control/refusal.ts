/** An order that makes no sense in this lab, in one sentence. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}
