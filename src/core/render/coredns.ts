import { apiGroup } from '../../api/meta.ts'
import { bootstrapCorefile } from '../coredns/bootstrap.ts'
import { type Companion, hardened, stateDirectory } from './deployment.ts'

const configuration = `${stateDirectory}/coredns`
const corefileAnnotation = `${apiGroup}/corefile`
const healthPort = 8081
const readyPort = 8181
const metricsPort = 9153

/**
 * A stock CoreDNS beside oooi, which writes its Corefile and zones into a directory of the pod: a ConfigMap would take
 * a minute to get there. What it starts with is an annotation, so that a change of it, and nothing else, is a new pod.
 */
export function corednsCompanion(image: string, port: number): Companion {
  const health = `{$POD_IP}:${healthPort}`
  const file = { path: 'Corefile', fieldRef: { fieldPath: `metadata.annotations['${corefileAnnotation}']` } }
  const shared = { name: 'coredns', mountPath: configuration }
  return {
    annotations: { [corefileAnnotation]: bootstrapCorefile({ port, directory: configuration, health }) },
    volumes: [
      { name: 'coredns', emptyDir: {} },
      { name: 'bootstrap', downwardAPI: { items: [file] } },
    ],
    mounts: [shared],
    container: {
      name: 'coredns',
      image,
      args: ['-conf', '/etc/coredns/Corefile'],
      env: [{ name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
      ports: [{ name: 'metrics', containerPort: metricsPort, protocol: 'TCP' }],
      livenessProbe: { httpGet: { path: '/health', port: healthPort }, timeoutSeconds: 5, failureThreshold: 6 },
      readinessProbe: { httpGet: { path: '/ready', port: readyPort }, timeoutSeconds: 5, periodSeconds: 2 },
      resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '256Mi' } },
      // Its program carries this capability, and the kernel does not start it where it may not have it.
      securityContext: { ...hardened, capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } },
      volumeMounts: [
        { ...shared, readOnly: true },
        { name: 'bootstrap', mountPath: '/etc/coredns', readOnly: true },
      ],
    },
  }
}
