import { type DestinationStream, type Logger, pino } from 'pino'

export type { Logger }

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** JSON lines, one object each. A transport in a worker would not survive bundling, so there is none. */
export function createLogger(level: LogLevel, destination: DestinationStream): Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: levelAsText } },
    destination,
  )
}

function levelAsText(label: string): { level: string } {
  return { level: label }
}
