import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { images } from '../../../../src/lab/kubernetes/images.ts'

/** A Deployment whose pods answer with its name. */
export function backendObjects(namespace: string, name: string): object[] {
  const labels = { app: name }
  const container = {
    name: 'backend',
    image: images.oooi,
    command: ['/usr/bin/node', '/program/main.ts'],
    env: [{ name: 'BACKEND', value: name }],
    readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 },
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    volumeMounts: [{ name: 'program', mountPath: '/program' }],
  }
  const spec = {
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 0,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [container],
    volumes: [{ name: 'program', configMap: { name: 'backend' } }],
  }
  return [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'backend', namespace },
      data: { 'main.ts': readFileSync(join(import.meta.dirname, 'main.ts'), 'utf8') },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace },
      spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    },
  ]
}
