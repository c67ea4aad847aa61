import { apiGroup } from '../../api/meta.ts'
import { bootstrapOf } from '../proxy/envoy/bootstrap.ts'
import { envoyArguments, envoyFiles } from '../proxy/envoy/program.ts'
import { envoyMetricsPort as metricsPort, observePort } from '../proxy/own-ports.ts'
import { type Companion, hardened, stateDirectory } from './deployment.ts'
import type { Place } from './object.ts'

const bootstrapAnnotation = `${apiGroup}/envoy-bootstrap`

/**
 * A stock Envoy beside oooi, which it asks for everything but its bootstrap. That is an annotation, so that a change of
 * it, and nothing else, is a new pod. It is ready when it serves what only oooi can have told it.
 */
export function envoyCompanion(image: string, xdsPort: number, { namespace, name }: Place): Companion {
  const { adminSocket } = envoyFiles(stateDirectory)
  const bootstrap = bootstrapOf({ nodeId: `${namespace}/${name}`, xdsPort, adminSocket })
  const file = { path: 'bootstrap.json', fieldRef: { fieldPath: `metadata.annotations['${bootstrapAnnotation}']` } }
  const shared = { name: 'envoy', mountPath: `${stateDirectory}/envoy` }
  return {
    annotations: { [bootstrapAnnotation]: JSON.stringify(bootstrap) },
    volumes: [
      { name: 'envoy', emptyDir: {} },
      { name: 'bootstrap', downwardAPI: { items: [file] } },
    ],
    mounts: [shared],
    arguments: ['--envoy-metrics', `$(POD_IP):${metricsPort}`],
    container: {
      name: 'envoy',
      image,
      command: ['/usr/local/bin/envoy'],
      args: envoyArguments('/etc/envoy/bootstrap.json'),
      ports: [{ name: 'metrics', containerPort: metricsPort, protocol: 'TCP' }],
      readinessProbe: { httpGet: { path: '/ready', port: metricsPort }, timeoutSeconds: 5, periodSeconds: 2 },
      // SIGTERM cuts every connection. oooi drains them meanwhile, and answers when that is done.
      lifecycle: { preStop: { httpGet: { path: '/stopped', port: observePort } } },
      resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '1Gi' } },
      securityContext: { ...hardened, capabilities: { drop: ['ALL'] } },
      volumeMounts: [shared, { name: 'bootstrap', mountPath: '/etc/envoy', readOnly: true }],
    },
  }
}
