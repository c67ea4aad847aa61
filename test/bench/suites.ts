import type { Suite } from './bench.ts'
import { dhcpSuite } from './dhcp/suite.ts'
import { dnsSuite } from './dns/suite.ts'
import { labSuite } from './lab/suite.ts'
import { operatorSuite } from './operator/suite.ts'
import { proxySuite } from './proxy/suite.ts'
import { runtimeSuite } from './runtime/suite.ts'
import { virtualIngressSuite } from './virtualingress/suite.ts'

/** Everything `make bench` can measure; a new suite is one line here. */
export const suites: readonly Suite[] = [
  dhcpSuite,
  dnsSuite,
  proxySuite,
  runtimeSuite,
  operatorSuite,
  labSuite,
  virtualIngressSuite,
]
