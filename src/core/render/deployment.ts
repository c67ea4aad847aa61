import { observePort } from '../proxy/own-ports.ts'
import {
  accountName,
  type ComponentRole,
  labelsOf,
  metadataOf,
  type Place,
  type RenderedObject,
  selectorOf,
} from './object.ts'

/** All that a pod of a component is made from. */
export interface PodParts {
  readonly image: string
  /** Its address on the VLAN with the length of the network's prefix. */
  readonly address: string
  readonly attachment: { readonly name: string; readonly namespace: string }
  readonly ports: readonly { readonly name: string; readonly containerPort: number; readonly protocol: string }[]
  /** `Default` gives the pod the resolvers of its node. */
  readonly dnsPolicy?: 'Default'
  /** Keeps the state; without one it lives as long as the pod. */
  readonly claimName?: string | undefined
  /** The platform chooses the user. */
  readonly assignsUsers: boolean
  readonly companion?: Companion | undefined
  /** For the Node that runs oooi. */
  readonly nodeOptions?: string | undefined
}

/** Somebody else's program in the same pod. */
export interface Companion {
  readonly container: object
  readonly volumes: readonly object[]
  /** Of those volumes, what our own container sees. */
  readonly mounts: readonly object[]
  /** What our own program is told of it. */
  readonly arguments?: readonly string[]
  /** Of the pod. */
  readonly annotations: Readonly<Record<string, string>>
}

const networksAnnotation = 'k8s.v1.cni.cncf.io/networks'
export const stateDirectory = '/var/lib/oooi'
export const hardened = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true }
/** A pod of a node that is lost is given up this soon: nobody else may serve its address as long as it exists. */
const patienceSeconds = 30

/** What Kubernetes else mounts into every container of a pod by itself. */
const tokenDirectory = '/var/run/secrets/kubernetes.io/serviceaccount'
const token = {
  name: 'token',
  projected: {
    sources: [
      { serviceAccountToken: { path: 'token', expirationSeconds: 3607 } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      { downwardAPI: { items: [{ path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } }] } },
    ],
  },
}

/** One pod per address, never two: the old one has to be gone before the new one comes. */
export function renderDeployment(role: ComponentRole, place: Place, parts: PodParts): RenderedObject {
  const { attachment, address } = parts
  const networks = [{ name: attachment.name, namespace: attachment.namespace, interface: 'net1', ips: [address] }]
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadataOf(role, place, place.name),
    spec: {
      replicas: 1,
      strategy: { type: 'Recreate' },
      selector: { matchLabels: selectorOf(role, place) },
      template: {
        metadata: {
          labels: labelsOf(role, place),
          annotations: { [networksAnnotation]: JSON.stringify(networks), ...parts.companion?.annotations },
        },
        spec: podSpec(role, place, parts),
      },
    },
  }
}

/** Runs under the Pod Security level `restricted`: low ports by a sysctl that counts as safe, not by a capability. */
function podSpec(role: ComponentRole, place: Place, parts: PodParts): object {
  const state = parts.claimName ? { persistentVolumeClaim: { claimName: parts.claimName } } : { emptyDir: {} }
  return {
    serviceAccountName: accountName(role, place),
    // The right to ask the API server is oooi's, not that of a program beside it.
    ...(parts.companion ? { automountServiceAccountToken: false } : {}),
    ...(parts.dnsPolicy ? { dnsPolicy: parts.dnsPolicy } : {}),
    securityContext: {
      runAsNonRoot: true,
      ...(parts.assignsUsers ? {} : ownUser(parts)),
      seccompProfile: { type: 'RuntimeDefault' },
      sysctls: [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '0' }],
    },
    terminationGracePeriodSeconds: 30,
    tolerations: ['not-ready', 'unreachable'].map((taint) => ({
      key: `node.kubernetes.io/${taint}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: patienceSeconds,
    })),
    containers: [container(role, place, parts), ...(parts.companion ? [parts.companion.container] : [])],
    volumes: [{ name: 'state', ...state }, ...(parts.companion ? [token, ...parts.companion.volumes] : [])],
  }
}

const nonroot = 65_532

/**
 * A pod that ends takes no new connections, and the next one can have its address only when it is gone: so everybody else
 * waits this long. Requests are through by then; tunnels never end by themselves, and are cut in any case.
 */
const drainSeconds = 3

/** A volume belongs to root until it is given to a group; the pod's own directory is open to all of the pod. */
function ownUser({ claimName }: PodParts): object {
  return { runAsUser: nonroot, runAsGroup: nonroot, ...(claimName ? { fsGroup: nonroot } : {}) }
}

function container({ command }: ComponentRole, { name, namespace }: Place, parts: PodParts): object {
  const { image, ports, companion } = parts
  const probe = (path: string) => ({ httpGet: { path, port: 'observe' }, timeoutSeconds: 5 })
  return {
    name: command,
    image,
    args: [
      command,
      '--resource',
      `${namespace}/${name}`,
      '--state-dir',
      stateDirectory,
      '--pod-address',
      '$(POD_IP)',
      '--observe',
      `$(POD_IP):${observePort}`,
      '--drain',
      `${drainSeconds}s`,
      ...(companion?.arguments ?? []),
    ],
    env: [
      { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      ...(parts.nodeOptions ? [{ name: 'NODE_OPTIONS', value: parts.nodeOptions }] : []),
    ],
    ports: [...ports, { name: 'observe', containerPort: observePort, protocol: 'TCP' }],
    startupProbe: { ...probe('/healthz'), periodSeconds: 1, failureThreshold: 60 },
    livenessProbe: { ...probe('/healthz'), periodSeconds: 10, failureThreshold: 6 },
    readinessProbe: { ...probe('/readyz'), periodSeconds: 2 },
    // No limit of CPU: being throttled in the middle of a burst of boots costs more than it saves.
    resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '512Mi' } },
    securityContext: { ...hardened, capabilities: { drop: ['ALL'] } },
    volumeMounts: [
      { name: 'state', mountPath: stateDirectory },
      ...(companion ? [{ name: token.name, mountPath: tokenDirectory, readOnly: true }, ...companion.mounts] : []),
    ],
  }
}
