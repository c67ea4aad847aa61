import type { ClusterPlan, NodePlan } from '../plan.ts'

/** The configuration files of a node, as its first process sees them: its own files are at /run/node. */

export const pauseImage = 'oooi.test/pause:lab'

export function containerdToml(): string {
  return `version = 3
root = "/var/lib/containerd"
state = "/run/containerd"

[grpc]
  address = "/run/containerd/containerd.sock"

[plugins."io.containerd.cri.v1.images".pinned_images]
  sandbox = "${pauseImage}"

[plugins."io.containerd.cri.v1.runtime"]
  # Containers of this machine may lack the right to lower it, and runc dies of the attempt.
  restrict_oom_score_adj = true
  # Both would hide whether a pod asks for the sysctl it needs.
  enable_unprivileged_ports = false
  enable_unprivileged_icmp = false

[plugins."io.containerd.cri.v1.runtime".cni]
  bin_dirs = ["/usr/lib/cni", "/run/node/cni-bin"]
  conf_dir = "/run/node/cni"
`
}

/** JSON is YAML. */
export function kubeletConfiguration(node: NodePlan): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: '/run/node/ca.crt' },
    },
    authorization: { mode: 'Webhook' },
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    cgroupDriver: 'cgroupfs',
    cgroupRoot: node.cgroup,
    failCgroupV1: false,
    failSwapOn: false,
    enforceNodeAllocatable: [],
    // The disk belongs to somebody else; a lab evicts nothing because that one is full.
    evictionHard: { 'nodefs.available': '1%', 'imagefs.available': '1%', 'memory.available': '50Mi' },
    imageGCHighThresholdPercent: 100,
    resolvConf: '/run/node/resolv.conf',
    volumePluginDir: '/run/volume-plugins',
    // A lost node is noticed within seconds, not minutes.
    nodeLeaseDurationSeconds: 8,
    nodeStatusUpdateFrequency: '2s',
    syncFrequency: '10s',
    shutdownGracePeriod: '0s',
    maxPods: 60,
  }
}

/** The pod network: every pod on a cable of its own, so that packets between two pods pass the Services' rules too. */
export function podNetwork(node: NodePlan): object {
  return {
    cniVersion: '1.0.0',
    name: 'pods',
    plugins: [
      {
        type: 'ptp',
        ipam: { type: 'host-local', ranges: [[{ subnet: node.podCidr }]], routes: [{ dst: '0.0.0.0/0' }] },
      },
      { type: 'oooi-networks', kubeconfig: '/run/node/networks.kubeconfig', binDirectory: '/usr/lib/cni' },
    ],
  }
}

/** The command by which containerd calls our plugin: the checkout is at /run/oooi. */
export function networksPlugin(): string {
  const node = `/run/oooi/node_modules/node-linux-${process.arch}/bin/node`
  return `#!/bin/sh\nexec ${node} /run/oooi/src/lab/kubernetes/networks/main.ts\n`
}

export function resolvConf({ lab }: ClusterPlan): string {
  return `nameserver ${lab.pods.resolver}\n`
}
