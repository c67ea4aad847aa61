import { once } from 'node:events'
import { runControllers } from '../../../src/runtime/controller/run.ts'
import { systemClock } from '../../../src/runtime/time/clock.ts'
import { clientFor, silent, thingOperator } from '../../envtest/runtime-things.ts'

/** The operator of the tests as a process: node ours.ts <kubeconfig> <namespace>; begins when it is told to on stdin. */
const [kubeconfig = '', namespace = ''] = process.argv.slice(2)
const client = await clientFor(kubeconfig)
const { informers, controller } = thingOperator(client, client, { namespace, workers: 4 })
process.stdout.write('ready\n')
await once(process.stdin, 'data')
const { signal } = new AbortController()
await runControllers({ informers, controllers: [controller], clock: systemClock, log: silent, signal })
