import type { Outcome } from '../harness.ts'

export interface DnsLoad {
  readonly queriesFile: string
  readonly seconds: number
  readonly transport: 'udp' | 'tcp'
  /** Ask at this rate, whatever comes back; else a hundred questions are always under way. */
  readonly queriesPerSecond?: number
}

export function dnsperfCommand(
  server: string,
  { queriesFile, seconds, transport, queriesPerSecond }: DnsLoad,
): string[] {
  const rate =
    queriesPerSecond === undefined ? ['-q', '100'] : ['-Q', `${queriesPerSecond}`, '-q', '20000', '-b', '4096']
  const shape = ['-m', transport, '-c', '10', '-T', '1', '-l', `${seconds}`, '-t', '2', ...rate]
  return ['dnsperf', '-s', server, '-p', '53', '-d', queriesFile, ...shape]
}

export interface DnsResult extends Outcome {
  /** Of the answers, those that say NXDOMAIN. */
  readonly nonexistentShare: number
  /** Answers that are neither NOERROR nor NXDOMAIN. */
  readonly otherErrors: number
}

/** From the statistics dnsperf prints at its end. Throws where they are not there: then it did not run. */
export function parseDnsperf(output: string): DnsResult {
  const sent = numberAfter(output, 'Queries sent')
  const completed = numberAfter(output, 'Queries completed')
  const answers = (code: string) => Number(new RegExp(`\\b${code} (\\d+)`).exec(output)?.[1] ?? 0)
  return {
    operations: completed,
    perSecond: numberAfter(output, 'Queries per second'),
    lostShare: sent === 0 ? 0 : numberAfter(output, 'Queries lost') / sent,
    nonexistentShare: completed === 0 ? 0 : answers('NXDOMAIN') / completed,
    otherErrors: completed - answers('NOERROR') - answers('NXDOMAIN'),
  }
}

function numberAfter(output: string, label: string): number {
  const text = new RegExp(`${label}:\\s+([\\d.]+)`).exec(output)?.[1]
  if (text === undefined) throw new Error(`dnsperf did not say "${label}": ${output.trim().slice(-500)}`)
  return Number(text)
}
