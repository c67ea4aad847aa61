import type { Bindings } from '../leases/bindings.ts'
import { noted, type Outcome } from './outcome.ts'

/** Shorter than after a DECLINE: whoever is still there then is found again at once. */
const quarantineMs = 10 * 60 * 1000

/** Somebody without a lease answers at this address: nobody is given it for a while. */
export function noteInUse(bindings: Bindings, address: number, user: string, nowMs: number): Outcome {
  const { lease } = bindings.put({
    address,
    mac: user,
    clientId: '',
    hostname: '',
    vmName: '',
    cluster: '',
    state: 'Declined',
    startMs: nowMs,
    expiresMs: nowMs + quarantineMs,
  })
  return noted(lease)
}
