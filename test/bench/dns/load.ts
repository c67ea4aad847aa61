import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bench, runLoad } from '../bench.ts'
import type { Measure } from '../harness.ts'
import { type DnsLoad, dnsperfCommand, parseDnsperf } from './dnsperf.ts'
import type { DnsContender } from './servers.ts'
import { authoritativeQueries, foreignQueries } from './zone.ts'

/** Questions, and how many of the answers must say that there is no such name: fast wrong answers are no result. */
interface Questions {
  readonly list: (seconds: number) => readonly string[]
  readonly nonexistentShare: number
}

const ofTheCluster: Questions = { list: () => authoritativeQueries(2000), nonexistentShare: 0.1 }
const asked: Questions = { list: () => foreignQueries(1000, 'again'), nonexistentShare: 0 }
let batch = 0
/** More of them than any server can forward in that time, and other ones each time. */
const neverAsked: Questions = {
  list: (seconds) => foreignQueries(Math.ceil(100_000 * seconds), `once-${++batch}`),
  nonexistentShare: 0,
}

export function dnsMeasures(
  bench: Bench,
  namespace: string,
  servers: readonly DnsContender[],
  forwarders: readonly DnsContender[],
): Measure<DnsContender>[] {
  const measure = (
    name: string,
    contenders: readonly DnsContender[],
    questions: Questions,
    load: Pick<DnsLoad, 'transport' | 'queriesPerSecond'>,
  ): Measure<DnsContender> => ({
    name,
    unit: 'queries',
    contenders,
    async run({ name: who, address }, seconds) {
      const queriesFile = join(bench.directory, 'queries')
      writeFileSync(queriesFile, `${questions.list(seconds).join('\n')}\n`)
      const command = dnsperfCommand(address, { ...load, queriesFile, seconds })
      const { nonexistentShare, otherErrors, ...outcome } = parseDnsperf(await runLoad(namespace, command))
      const isRight = otherErrors === 0 && Math.abs(nonexistentShare - questions.nonexistentShare) < 0.02
      if (isRight) return outcome
      const percent = (100 * nonexistentShare).toFixed(1)
      throw new Error(`${name}: ${who} answered wrong, NXDOMAIN to ${percent} %, an error to ${otherErrors}`)
    },
  })
  return [
    measure('authoritative UDP', servers, ofTheCluster, { transport: 'udp' }),
    measure('authoritative TCP, pipelined', servers, ofTheCluster, { transport: 'tcp' }),
    measure('UDP, 60000/s offered', servers, ofTheCluster, { transport: 'udp', queriesPerSecond: 60_000 }),
    measure('forwarded, cached', forwarders, asked, { transport: 'udp' }),
    measure('forwarded, not cached', forwarders, neverAsked, { transport: 'udp' }),
  ]
}
