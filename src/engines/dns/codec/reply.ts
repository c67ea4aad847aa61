import type { Answer } from './answer.ts'
import { copyBytes, readUint16, readUint32, writeUint16, writeUint32 } from './bytes.ts'
import { optRecordLength, writeOpt } from './edns.ts'
import { headerFlag, headerLength, opcodeMask, responseCodeMask } from './numbers.ts'
import type { ReplyTo } from './query.ts'

const copiedFlags = opcodeMask | headerFlag.recursionDesired | headerFlag.checkingDisabled

/**
 * Writes a whole reply at `at` and returns its length. The question goes back byte for byte, so the client finds its
 * own spelling in it (and its own pointers hold). `out` has room for `to.limit` bytes; what would be longer is
 * truncated to the question.
 */
export function writeReply(
  out: Uint8Array,
  at: number,
  to: ReplyTo,
  answer: Answer,
  recursionAvailable: boolean,
  ageSeconds: number,
  extendedError: number,
): number {
  const { packet, questionEnd } = to
  const optLength = to.hasEdns ? optRecordLength(extendedError, to.cookie) : 0
  const fits = questionEnd + answer.body.length + optLength <= to.limit
  let flags = headerFlag.response | (readUint16(packet, 2) & copiedFlags) | (answer.responseCode & responseCodeMask)
  flags |= visibleFlags(answer.flags, to)
  if (!fits) flags |= headerFlag.truncated
  if (recursionAvailable) flags |= headerFlag.recursionAvailable

  writeUint16(out, at, readUint16(packet, 0))
  writeUint16(out, at + 2, flags)
  writeUint16(out, at + 4, questionEnd > headerLength ? 1 : 0)
  writeUint16(out, at + 6, fits ? answer.answerCount : 0)
  writeUint16(out, at + 8, fits ? answer.authorityCount : 0)
  writeUint16(out, at + 10, (fits ? answer.additionalCount : 0) + (to.hasEdns ? 1 : 0))
  copyBytes(packet, headerLength, questionEnd, out, at + headerLength)
  let end = at + questionEnd
  if (fits) end = writeBody(out, end, questionEnd, answer, ageSeconds)
  if (to.hasEdns) end = writeOpt(out, end, answer.responseCode, to.dnssecOk, extendedError, to.cookie)
  return end - at
}

/** RFC 6840 section 5.8: authentic data is told only to those who asked for it. */
function visibleFlags(flags: number, to: ReplyTo): number {
  const asked = to.dnssecOk || (readUint16(to.packet, 2) & headerFlag.authenticData) !== 0
  return asked ? flags : flags & ~headerFlag.authenticData
}

function writeBody(out: Uint8Array, bodyAt: number, questionEnd: number, answer: Answer, ageSeconds: number): number {
  const { body, apexPointers, ttlOffsets } = answer
  if (body.length > 256) out.set(body, bodyAt)
  else copyBytes(body, 0, body.length, out, bodyAt)
  // Type and class follow the name, so the apex ends four bytes before the question does.
  const apexPointer = 0xc000 | (questionEnd - 4 - answer.apexLength)
  for (const offset of apexPointers) writeUint16(out, bodyAt + offset, apexPointer)
  if (ageSeconds > 0) {
    for (const offset of ttlOffsets) {
      writeUint32(out, bodyAt + offset, Math.max(readUint32(body, offset) - ageSeconds, 0))
    }
  }
  return bodyAt + body.length
}
