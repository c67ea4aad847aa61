import { pino } from 'pino'
import { realDisk } from '../journal/files.ts'
import { openLeaseStore } from '../journal/open.ts'
import { LeaseTable } from '../leases/lease-table.ts'

/**
 * Run as a process of its own, to be killed: writes leases as fast as the disk takes them and prints the sequence
 * number of each one that is promised to be stored. Ten thousand changes make a rewrite, so it is killed amid those too.
 */
const [stateDir = '', firstAddress = '0', leaseCount = '2000'] = process.argv.slice(2)
const table = new LeaseTable()
const opened = await openLeaseStore(stateDir, {
  disk: realDisk,
  log: pino({ level: 'silent' }),
  live: () => table.all(),
  onSync: () => undefined,
  monotonicMs: () => performance.now(),
  retryAfterMs: 100,
})
if (!opened.ok) throw new Error(JSON.stringify(opened.problems))
const { store, leases } = opened.value
for (const lease of leases) table.put(lease)

let next = 0
function writeOne(): void {
  const address = Number(firstAddress) + (next++ % Number(leaseCount))
  const lease = {
    address,
    mac: `client-${address}`,
    clientId: '',
    hostname: `vm-${address}`,
    vmName: '',
    cluster: '',
    state: 'Active' as const,
    startMs: Date.now(),
    expiresMs: Date.now() + 3_600_000,
    sequence: table.nextSequence(),
  }
  table.put(lease)
  store.append([lease], (stored) => {
    if (stored) process.stdout.write(`${lease.address} ${lease.sequence}\n`)
    writeOne()
  })
}
for (let inFlight = 0; inFlight < 32; inFlight++) writeOne()
