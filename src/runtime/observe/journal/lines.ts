import { priorityOf } from './priority.ts'

/** journald takes a number in angle brackets at the beginning of a line for its PRIORITY: `journalctl -p warning`. */
export function withPriority(line: string): string {
  return `<${priorityOf(/^\{"level":"(\w+)"/.exec(line)?.[1])}>${line}`
}
