import { join } from 'node:path'
import type { DHCPServer } from '../../api/dhcpserver.ts'
import { createDhcpEngine, type DhcpEngineOptions, type DhcpEngineStatus } from '../../engines/dhcp/engine.ts'
import type { Engine } from '../../engines/engine.ts'
import { LastGoodCopy } from '../../runtime/source/last-good-copy.ts'
import { LeaseObjects, type LeaseObjectsOptions } from './lease-objects.ts'

type MirroredOptions = Omit<DhcpEngineOptions, 'mirror'> & Omit<LeaseObjectsOptions, 'marker'>

/** The DHCP engine whose leases are DHCPLease objects as well. */
export function createMirroredDhcpEngine(options: MirroredOptions): Engine<DHCPServer, DhcpEngineStatus> {
  const { stateDir, log, metrics } = options
  const marker = new LastGoodCopy(join(stateDir, 'leases-adopted.json'), log)
  const objects = new LeaseObjects({ ...options, marker })
  const engine = createDhcpEngine({ ...options, mirror: objects })
  const { writes } = objects
  metrics.gauge({ name: 'oooi_dhcp_lease_objects_pending', help: 'Leases whose DHCPLease is not written yet.' }, () => [
    { value: writes.pending },
  ])
  metrics.gauge({ name: 'oooi_dhcp_lease_objects_lag_seconds', help: 'Age of the oldest of them.' }, () => [
    { value: writes.lagMs() / 1000 },
  ])
  metrics.counter(
    { name: 'oooi_dhcp_lease_object_writes_total', help: 'Writes of DHCPLeases.', labels: ['result'] },
    () => Object.entries(writes.stats).map(([result, value]) => ({ labels: { result }, value })),
  )
  return {
    apply: (server) => {
      objects.ownedBy(server.metadata.uid)
      return engine.apply(server)
    },
    status: () => engine.status(),
    async stop(graceMs) {
      await engine.stop(graceMs)
      await objects.stop(graceMs)
    },
  }
}
