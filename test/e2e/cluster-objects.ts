import { images } from '../../src/lab/kubernetes/images.ts'

/** What the cluster tests apply; the operator will render such objects, here they are written by hand. */

const restrictedContainer = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
}

const restrictedPod = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } }

const probe = (path: string): object => ({ httpGet: { path, port: 8080 }, periodSeconds: 1, failureThreshold: 15 })

/** An engine that serves the VLAN from a pod: oooi's own image, as an ordinary user, with what it serves in a ConfigMap. */
export interface EnginePlan {
  readonly name: 'dhcp' | 'dns' | 'proxy'
  /** On the VLAN. */
  readonly address: string
  /** A DHCPServer, DNSServer or ProxyServer. */
  readonly manifest: object
}

export function engineObjects(namespace: string, { name, address, manifest }: EnginePlan): object[] {
  const labels = { app: name }
  const networks = [{ name: 'vlan100', namespace, ips: [`${address}/24`], interface: 'net1' }]
  const data = { 'manifest.yaml': JSON.stringify(manifest) }
  const template = {
    metadata: { labels, annotations: { 'k8s.v1.cni.cncf.io/networks': JSON.stringify(networks) } },
    spec: enginePod(name),
  }
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace },
      spec: { replicas: 1, strategy: { type: 'Recreate' }, selector: { matchLabels: labels }, template },
    },
  ]
}

function enginePod(engine: string): object {
  return {
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 5,
    tolerations: ['not-ready', 'unreachable'].map((taint) => ({
      key: `node.kubernetes.io/${taint}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 2,
    })),
    securityContext: { ...restrictedPod, sysctls: [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '0' }] },
    containers: [
      {
        name: engine,
        image: images.oooi,
        args: [
          ...[engine, '--config', '/config/manifest.yaml', '--state-dir', '/state'],
          ...['--pod-address', '$(POD_IP)', '--observe', '$(POD_IP):8080', '--drain', '1s'],
        ],
        env: [{ name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
        readinessProbe: probe('/readyz'),
        livenessProbe: probe('/healthz'),
        securityContext: restrictedContainer,
        volumeMounts: [
          { name: 'config', mountPath: '/config' },
          { name: 'state', mountPath: '/state' },
        ],
      },
    ],
    volumes: [
      { name: 'config', configMap: { name: engine } },
      { name: 'state', emptyDir: {} },
    ],
  }
}

export function dnsService(namespace: string): object {
  const port = (protocol: string): object => ({ name: protocol.toLowerCase(), port: 53, protocol })
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'dns', namespace },
    spec: { selector: { app: 'dns' }, ports: ['UDP', 'TCP'].map(port) },
  }
}

/** A pod with a shell and nothing else, with a volume and on a certain node if wanted. */
export function shellPod(
  namespace: string,
  name: string,
  options: { readonly claim?: string; readonly node?: string | undefined } = {},
): object {
  const volumes = options.claim ? [{ name: 'data', persistentVolumeClaim: { claimName: options.claim } }] : []
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace },
    spec: {
      ...(options.node ? { nodeName: options.node } : {}),
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 0,
      securityContext: restrictedPod,
      containers: [
        {
          name: 'shell',
          image: images.busybox,
          securityContext: restrictedContainer,
          volumeMounts: volumes.map((volume) => ({ name: volume.name, mountPath: '/data' })),
        },
      ],
      volumes,
    },
  }
}

export function claim(namespace: string, name: string): object {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  }
}
