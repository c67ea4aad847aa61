/** Priorities of syslog by our levels. */
const priorities: Readonly<Record<string, number>> = { fatal: 2, error: 3, warn: 4, info: 6, debug: 7, trace: 7 }

const priorityOfOthers = 6

export function priorityOf(level: unknown): number {
  return (typeof level === 'string' ? priorities[level] : undefined) ?? priorityOfOthers
}
