import { bring } from '../kube/bring.ts'
import { findCoredns } from './coredns.ts'

/** The CoreDNS that the DNS tests and benchmarks compare with. */
await bring('coredns', () => findCoredns(process.env), 'THE TESTS THAT COMPARE WITH COREDNS WILL FAIL.')
