import { mayNotSkip } from '../kube/locate.ts'
import { findCoredns } from './coredns.ts'

/** Brings the CoreDNS that the DNS tests and benchmarks compare with, and prints its path. Outside CI it may be missing. */
try {
  process.stdout.write(`${await findCoredns(process.env)}\n`)
} catch (error) {
  process.stderr.write(`coredns: ${error instanceof Error ? error.message : String(error)}\n`)
  process.stderr.write('THE TESTS THAT COMPARE WITH COREDNS WILL FAIL.\n')
  if (mayNotSkip(process.env)) process.exitCode = 1
}
