import { bring } from '../kube/bring.ts'
import { provideNginx } from './nginx.ts'

/** The nginx that carries the traffic of the Ingress tests. */
await bring('nginx', provideNginx, 'THE TEST OF INGRESSES WITH NGINX WILL BE SKIPPED.')
