import type { DestinationStream } from 'pino'
import type { InheritedDescriptor } from '../host/inherited-descriptors.ts'
import { journalEntry } from './journal/entry.ts'
import { withPriority } from './journal/lines.ts'
import { datagramSocket, type SendDatagram, type Unblock } from './journal/socket.ts'

/** Where the lines of the log go; nobody waits for whoever reads them. */
export interface LogDestination extends DestinationStream {
  /** Lines that nobody took, and that are gone. */
  readonly lostLines: () => number
}

/** The service that logs, as it was started. */
export interface LogSurroundings {
  readonly identifier: string
  readonly stderr: NodeJS.WritableStream & { readonly writableLength?: number }
  readonly env: Readonly<Record<string, string | undefined>>
  readonly inherited: readonly InheritedDescriptor[]
  readonly unblock: Unblock
}

/** So many bytes wait in memory for a reader of standard error that does not read. */
const mostWaitingBytes = 1024 * 1024

/** As the unit of systemd names the descriptor: `OpenFile=/run/systemd/journal/socket:journal`. */
export const journalName = 'journal'

/**
 * Entries with fields, if systemd opened the socket of its journal for us; lines with a priority, if standard error goes to the
 * journal; plain lines elsewhere. What the journal does not take as an entry, it is offered as a line. What nobody takes is
 * counted, and told of as soon as somebody takes something again.
 */
export function logDestination(surroundings: LogSurroundings): LogDestination {
  const { inherited, unblock, identifier } = surroundings
  let [lost, untold] = [0, 0]
  const onLost = (): void => {
    lost++
    untold++
  }
  const offerLine = lineOffer(surroundings, onLost)
  const descriptor = inherited.find(({ name }) => name === journalName)
  const send = descriptor && datagramSocket(descriptor.fd, unblock)
  const offer: Offer = send ? (line) => offerEntry(send, line, identifier) || offerLine(line) : offerLine
  return {
    write: (line) => {
      if (untold > 0 && offer(lostText(untold))) untold = 0
      if (!offer(line)) onLost()
    },
    lostLines: () => lost,
  }
}

/** Says whether the line was taken. */
type Offer = (line: string) => boolean

function offerEntry(send: SendDatagram, line: string, identifier: string): boolean {
  try {
    send(journalEntry(line, identifier))
    return true
  } catch {
    // No room (EAGAIN), too long (EMSGSIZE), or nobody there (ECONNREFUSED).
    return false
  }
}

/** Standard error, whose lines Node keeps in memory while the reader is slow: not more of them than a bound. */
function lineOffer({ stderr, env }: LogSurroundings, onLost: () => void): Offer {
  // systemd sets it for services whose output goes to the journal.
  const format = env.JOURNAL_STREAM === undefined ? (line: string) => line : withPriority
  return (line) => {
    if ((stderr.writableLength ?? 0) > mostWaitingBytes) return false
    stderr.write(format(line), (error) => {
      if (error) onLost()
    })
    return true
  }
}

function lostText(lines: number): string {
  return `${JSON.stringify({ level: 'warn', lines, msg: 'lines of the log were lost: nobody read them' })}\n`
}
