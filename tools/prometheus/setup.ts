import { bring } from '../kube/bring.ts'
import { findPrometheus } from './prometheus.ts'

/** The Prometheus that the alerts are tried with. */
await bring('prometheus', findPrometheus, 'THE TESTS OF THE ALERTS WILL FAIL.')
