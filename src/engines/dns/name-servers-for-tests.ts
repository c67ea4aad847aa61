import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Other people's authoritative servers, for tests and measurements that compare with them. */
export interface NameServerPlan {
  readonly address: string
  readonly port: number
  /** For its configuration, its zones and whatever it keeps. */
  readonly directory: string
  /** The text of each zone's file. */
  readonly zones: ReadonlyMap<string, string>
}

function writeZones({ directory, zones }: NameServerPlan): { domain: string; file: string }[] {
  mkdirSync(directory, { recursive: true })
  return [...zones].map(([domain, text], index) => {
    const file = join(directory, `zone${index}`)
    writeFileSync(file, text)
    return { domain, file }
  })
}

/** Writes what Knot needs to serve these zones from one thread, and says how it is started. */
export function knotCommand(plan: NameServerPlan): string[] {
  const { address, port, directory } = plan
  const zones = writeZones(plan).map(
    ({ domain, file }) => `  - domain: ${domain}.\n    file: ${file}\n    semantic-checks: off\n`,
  )
  const configuration = `server:
  rundir: ${directory}
  listen: ${address}@${port}
  udp-workers: 1
  tcp-workers: 1
  background-workers: 1
log:
  - target: stderr
    any: warning
database:
  storage: ${directory}
zone:
${zones.join('')}`
  const file = join(directory, 'knot.conf')
  writeFileSync(file, configuration)
  return ['knotd', '-c', file]
}

/** The same for BIND. */
export function bindCommand(plan: NameServerPlan): string[] {
  const { address, port, directory } = plan
  const zones = writeZones(plan).map(
    ({ domain, file }) => `zone "${domain}" { type primary; file "${file}"; check-names ignore; };\n`,
  )
  const configuration = `options {
  directory "${directory}";
  pid-file "${join(directory, 'named.pid')}";
  session-keyfile none;
  listen-on port ${port} { ${address}; };
  listen-on-v6 { none; };
  recursion no;
  minimal-responses yes;
  dnssec-validation no;
  check-integrity no;
  zero-no-soa-ttl no;
};
controls { };
${zones.join('')}`
  const file = join(directory, 'named.conf')
  writeFileSync(file, configuration)
  return ['named', '-g', '-n', '1', '-c', file]
}
