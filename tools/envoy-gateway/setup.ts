import { bring } from '../kube/bring.ts'
import { provideEnvoyGateway } from './envoy-gateway.ts'

/** The Envoy Gateway that carries the traffic of HTTPRoutes in the tests. */
const provide = async () => (await provideEnvoyGateway(process.env)).binary
await bring('envoy gateway', provide, 'THE TEST OF HTTPROUTES WITH ENVOY GATEWAY WILL BE SKIPPED.')
