import { mayNotSkip } from '../kube/locate.ts'
import { findSystemdRoot } from './root.ts'

/** Brings the systemd that the tests boot, and prints where it is. Outside CI it may be missing. */
try {
  process.stdout.write(`${await findSystemdRoot()}\n`)
} catch (error) {
  process.stderr.write(`systemd: ${error instanceof Error ? error.message : String(error)}\n`)
  process.stderr.write('THE TESTS ON A REAL SYSTEMD WILL FAIL.\n')
  if (mayNotSkip(process.env)) process.exitCode = 1
}
