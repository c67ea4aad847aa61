import { bring } from '../kube/bring.ts'
import { findSystemdRoot } from './root.ts'

/** The systemd that the tests boot. */
await bring('systemd', findSystemdRoot, 'THE TESTS ON A REAL SYSTEMD WILL BE SKIPPED.')
