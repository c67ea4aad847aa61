import { type Component, type Project, versions } from './components.ts'

/** Where the projects publish their releases; parameters, so that a test can be the publisher. */
export interface ReleaseHosts {
  readonly kubernetes: string
  readonly github: string
}

export const officialHosts: ReleaseHosts = { kubernetes: 'https://dl.k8s.io', github: 'https://github.com' }

/** One published file and what to take out of it. */
export interface Release {
  readonly url: string
  readonly checksumUrl: string
  /** Executable name to path inside the archive; absent when the file is the executable itself. */
  readonly members?: Readonly<Record<string, string>>
  readonly names: readonly string[]
}

/** The published files that together hold all wanted components. */
export function releasesOf(wanted: readonly Component[], architecture: string, hosts: ReleaseHosts): Release[] {
  const goArchitecture = architecture === 'x64' ? 'amd64' : architecture
  const namesOf = (project: Project) => wanted.filter((one) => one.project === project).map((one) => one.name)
  const releases = namesOf('kubernetes').map((name): Release => {
    const url = `${hosts.kubernetes}/v${versions.kubernetes}/bin/linux/${goArchitecture}/${name}`
    return { url, checksumUrl: `${url}.sha256`, names: [name] }
  })
  const etcd = namesOf('etcd')
  if (etcd.length > 0) {
    const base = `${hosts.github}/etcd-io/etcd/releases/download/v${versions.etcd}`
    const folder = `etcd-v${versions.etcd}-linux-${goArchitecture}`
    const members = Object.fromEntries(etcd.map((name) => [name, `${folder}/${name}`]))
    releases.push({ url: `${base}/${folder}.tar.gz`, checksumUrl: `${base}/SHA256SUMS`, names: etcd, members })
  }
  const containerd = namesOf('containerd')
  if (containerd.length > 0) {
    // The static build runs on any C library; the other one wants a recent glibc.
    const url = `${hosts.github}/containerd/containerd/releases/download/v${versions.containerd}/containerd-static-${versions.containerd}-linux-${goArchitecture}.tar.gz`
    const members = Object.fromEntries(containerd.map((name) => [name, `bin/${name}`]))
    releases.push({ url, checksumUrl: `${url}.sha256sum`, names: containerd, members })
  }
  return releases
}

/** The checksum of a file out of a bare digest (dl.k8s.io) or out of `sha256sum` lines (GitHub releases). */
export function checksumOf(url: string, published: string): string | undefined {
  const fileName = url.slice(url.lastIndexOf('/') + 1)
  const bare = /^[0-9a-f]{64}$/.exec(published.trim())
  if (bare) return bare[0]
  for (const line of published.split('\n')) {
    const [, digest, name] = /^([0-9a-f]{64}) [ *](\S+)\s*$/.exec(line) ?? []
    if (name === fileName) return digest
  }
  return undefined
}
