import { mayNotSkip } from '../kube/locate.ts'
import { provideEnvoyGateway } from './envoy-gateway.ts'

/** Brings the Envoy Gateway that carries the traffic of HTTPRoutes in the tests. Outside CI it is fine if that cannot be done. */
try {
  process.stdout.write(`${(await provideEnvoyGateway(process.env)).binary}\n`)
} catch (error) {
  process.stderr.write(`envoy gateway: ${error instanceof Error ? error.message : String(error)}\n`)
  process.stderr.write('THE TEST OF HTTPROUTES WITH ENVOY GATEWAY WILL BE SKIPPED.\n')
  if (mayNotSkip(process.env)) process.exitCode = 1
}
