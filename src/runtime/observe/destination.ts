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
const journalName = 'journal'

/**
 * Entries with fields, if systemd opened the socket of its journal for us; lines with a priority, if standard error goes to the
 * journal; plain lines elsewhere. What the journal does not take as an entry, it is offered as a line.
 */
export function logDestination(surroundings: LogSurroundings): LogDestination {
  const { env, inherited, unblock, identifier, stderr } = surroundings
  // systemd sets it for services whose output goes to the journal.
  const isJournal = env.JOURNAL_STREAM !== undefined
  const lines = new LineStream(stderr, isJournal ? withPriority : (line) => line)
  const descriptor = inherited.find(({ name }) => name === journalName)
  const send = descriptor && datagramSocket(descriptor.fd, unblock)
  if (!send) return lines
  return { write: (line) => sendOr(lines, send, line, identifier), lostLines: lines.lostLines }
}

function sendOr(lines: LineStream, send: SendDatagram, line: string, identifier: string): void {
  try {
    send(journalEntry(line, identifier))
  } catch {
    // No room (EAGAIN), too long (EMSGSIZE), or nobody there (ECONNREFUSED).
    lines.write(line)
  }
}

/** Standard error, which Node keeps in memory for a reader that is slow: up to a bound, beyond which lines are counted only. */
class LineStream implements LogDestination {
  readonly #stream: LogSurroundings['stderr']
  readonly #format: (line: string) => string
  #lost = 0
  #untold = 0

  constructor(stream: LogSurroundings['stderr'], format: (line: string) => string) {
    this.#stream = stream
    this.#format = format
  }

  readonly lostLines = (): number => this.#lost

  write(line: string): void {
    if ((this.#stream.writableLength ?? 0) > mostWaitingBytes) {
      this.#lost++
      this.#untold++
      return
    }
    if (this.#untold > 0) this.#tell()
    this.#stream.write(this.#format(line))
  }

  #tell(): void {
    const text = JSON.stringify({
      level: 'warn',
      lines: this.#untold,
      msg: 'lines of the log were lost: nobody read them',
    })
    this.#untold = 0
    this.#stream.write(this.#format(`${text}\n`))
  }
}
