import { readFileSync } from 'node:fs'

/** `control-plane` is what most tests need; `node` adds what turns a network namespace into a real Kubernetes node. */
export const targets = ['control-plane', 'node'] as const
export type Target = (typeof targets)[number]

export type Project = 'kubernetes' | 'etcd' | 'containerd'

export interface Component {
  /** The name of the executable file. */
  readonly name: string
  readonly project: Project
  readonly goPackage: string
}

export const components: Record<Target, readonly Component[]> = {
  'control-plane': [
    { name: 'etcd', project: 'etcd', goPackage: 'go.etcd.io/etcd/server/v3' },
    kubernetes('kube-apiserver'),
    kubernetes('kube-controller-manager'),
    kubernetes('kubectl'),
  ],
  node: [
    kubernetes('kubelet'),
    kubernetes('kube-scheduler'),
    kubernetes('kube-proxy'),
    containerd('containerd'),
    containerd('ctr'),
    containerd('containerd-shim-runc-v2'),
  ],
}

/** Which variable names a folder of the user's own binaries for a target. */
export const folderVariables: Record<Target, string> = {
  'control-plane': 'KUBEBUILDER_ASSETS',
  node: 'OOOI_NODE_ASSETS',
}

/** The folder of go.mod; Kubernetes and etcd are pinned there and nowhere else. */
export const moduleDirectory = import.meta.dirname

export const versions: Record<Project, string> = {
  ...versionsIn(readFileSync(`${moduleDirectory}/go.mod`, 'utf8')),
  // Not in go.mod: its dependencies disagree with those of Kubernetes.
  containerd: '2.4.2',
}

/** Versions without the leading `v`. */
export function versionsIn(goMod: string): Record<'kubernetes' | 'etcd', string> {
  return {
    kubernetes: requiredVersion(goMod, 'k8s.io/kubernetes'),
    etcd: requiredVersion(goMod, 'go.etcd.io/etcd/server/v3'),
  }
}

function requiredVersion(goMod: string, module: string): string {
  const line = goMod.split('\n').find((candidate) => candidate.trim().startsWith(`${module} v`))
  const version = line?.trim().split(/\s+/)[1]
  if (!version) throw new Error(`tools/kube/go.mod requires no version of ${module}; run "go mod tidy" in tools/kube`)
  return version.slice(1)
}

function kubernetes(name: string): Component {
  return { name, project: 'kubernetes', goPackage: `k8s.io/kubernetes/cmd/${name}` }
}

function containerd(name: string): Component {
  return { name, project: 'containerd', goPackage: `github.com/containerd/containerd/v2/cmd/${name}` }
}
