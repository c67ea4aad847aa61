export interface DhcpLoad {
  readonly exchangesPerSecond: number
  /** How many clients ask, once each. */
  readonly clients: number
  /** Tells these clients from those of other runs: two octets in the middle of their hardware addresses. */
  readonly batch: number
}

/** perfdhcp goes on listening for this long after its last question. */
const patienceSeconds = 0.7

/** As a relay agent would: unicast, answers come back to port 67. */
export function perfdhcpCommand(server: string, { exchangesPerSecond, clients, batch }: DhcpLoad): string[] {
  const octets = [0x02, (batch >> 8) & 0xff, batch & 0xff, 0, 0, 0]
  const mac = octets.map((octet) => octet.toString(16).padStart(2, '0')).join(':')
  // It starts a few exchanges more than told; with a spare hardware address for each, no client asks twice.
  const shape = ['-r', `${exchangesPerSecond}`, '-n', `${clients}`, '-R', `${clients + 1000}`]
  const wait = ['-W', `${patienceSeconds * 1e6}`]
  return ['perfdhcp', '-4', '-g', 'single', '-u', ...shape, '-b', `mac=${mac}`, ...wait, server]
}

export interface DhcpResult {
  /** Whole exchanges: discover, offer, request, acknowledgement. */
  readonly completed: number
  readonly perSecond: number
  /** Exchanges that were begun and not completed. */
  readonly dropped: number
  /** Of an answer, offers and acknowledgements together. It grows with the time a server has been behind. */
  readonly averageDelayMs: number
  /** Addresses that two clients were given. */
  readonly notUnique: number
}

/** From the report perfdhcp prints at its end. Throws where it is not there: then it did not run. */
export function parsePerfdhcp(output: string): DhcpResult {
  const [, offers, acks] = output.split('***Statistics for: ')
  if (offers === undefined || acks === undefined) throw new Error(`perfdhcp: ${output.trim().slice(-500)}`)
  const completed = numberAfter(acks, 'received packets')
  const rateWithPatience = numberAfter(output, 'Rate')
  const seconds = rateWithPatience > 0 ? completed / rateWithPatience - patienceSeconds : Number.POSITIVE_INFINITY
  return {
    completed,
    perSecond: completed === 0 ? 0 : completed / seconds,
    dropped: numberAfter(offers, 'sent packets') - completed,
    averageDelayMs: completed === 0 ? Number.POSITIVE_INFINITY : (delayMs(offers) + delayMs(acks)) / 2,
    notUnique: numberAfter(acks, 'non unique addresses'),
  }
}

function delayMs(statistics: string): number {
  return numberAfter(statistics, 'avg delay')
}

function numberAfter(text: string, label: string): number {
  const found = new RegExp(`^${label}: ([\\d.e+]+)`, 'm').exec(text)?.[1]
  if (found === undefined) throw new Error(`perfdhcp did not say "${label}": ${text.trim().slice(-500)}`)
  return Number(found)
}
