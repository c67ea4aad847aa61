import { type Answer, noOffsets } from '../codec/answer.ts'
import { copyBytes } from '../codec/bytes.ts'
import { SendBuffer } from '../send-buffer.ts'

/** A usual answer is shorter; then copying it costs less than making a view of it. */
const shortBody = 512

/** An answer that is read into again and again, for what is sent within the same call. */
export class AnswerPad implements Answer {
  responseCode = 0
  flags = 0
  answerCount = 0
  authorityCount = 0
  additionalCount = 0
  body: Uint8Array = new Uint8Array(0)
  readonly apexPointers = noOffsets
  readonly apexLength = 0
  readonly ttlOffsets: number[] = []
  readonly #short = new SendBuffer(shortBody)

  readBody(bytes: Uint8Array, start: number, end: number): void {
    const length = end - start
    if (length <= shortBody) {
      copyBytes(bytes, start, end, this.#short.bytes, 0)
      this.body = this.#short.part(length)
    } else this.body = bytes.subarray(start, end)
  }

  /** A copy to keep. */
  detach(): Answer {
    const { responseCode, flags, answerCount, authorityCount, additionalCount, apexPointers, apexLength } = this
    const counts = { answerCount, authorityCount, additionalCount }
    const body = Uint8Array.from(this.body)
    return { responseCode, flags, ...counts, body, apexPointers, apexLength, ttlOffsets: [...this.ttlOffsets] }
  }
}
