import { mayNotSkip } from '../kube/locate.ts'
import { provideNginx } from './nginx.ts'

/** Brings the nginx that carries the traffic of the Ingress tests, and prints its path. Outside CI it may be missing. */
try {
  process.stdout.write(`${await provideNginx()}\n`)
} catch (error) {
  process.stderr.write(`nginx: ${error instanceof Error ? error.message : String(error)}\n`)
  if (mayNotSkip(process.env)) process.exitCode = 1
}
