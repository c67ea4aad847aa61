import type { DestinationStream } from 'pino'

/** Priorities of syslog by our levels; journald takes one at the beginning of a line in angle brackets for its PRIORITY. */
const priorities: Readonly<Record<string, number>> = { fatal: 2, error: 3, warn: 4, info: 6, debug: 7, trace: 7 }

/** Under systemd, lines of a level can be asked for: `journalctl -u oooi -p warning`. Elsewhere lines stay as they are. */
export function forJournal(
  destination: DestinationStream,
  env: Readonly<Record<string, string | undefined>>,
): DestinationStream {
  // systemd sets it for services whose output goes to the journal.
  if (env.JOURNAL_STREAM === undefined) return destination
  return {
    write: (line) => {
      const level = /^\{"level":"(\w+)"/.exec(line)?.[1] ?? 'info'
      destination.write(`<${priorities[level] ?? 6}>${line}`)
    },
  }
}
