import { describe, expect, it } from 'vitest'
import { components, versions } from './components.ts'
import { checksumOf, officialHosts, releasesOf } from './release.ts'

describe('releasesOf', () => {
  it('names the files of a control plane', () => {
    const releases = releasesOf(components['control-plane'], 'x64', officialHosts)
    expect(releases.map((release) => release.url)).toEqual([
      `https://dl.k8s.io/v${versions.kubernetes}/bin/linux/amd64/kube-apiserver`,
      `https://dl.k8s.io/v${versions.kubernetes}/bin/linux/amd64/kube-controller-manager`,
      `https://dl.k8s.io/v${versions.kubernetes}/bin/linux/amd64/kubectl`,
      `https://github.com/etcd-io/etcd/releases/download/v${versions.etcd}/etcd-v${versions.etcd}-linux-amd64.tar.gz`,
    ])
  })

  it('takes the three commands of containerd from one archive', () => {
    const archive = releasesOf(components.node, 'arm64', officialHosts).at(-1)
    expect(archive?.url).toContain(`containerd-static-${versions.containerd}-linux-arm64.tar.gz`)
    expect(archive?.members).toEqual({
      containerd: 'bin/containerd',
      ctr: 'bin/ctr',
      'containerd-shim-runc-v2': 'bin/containerd-shim-runc-v2',
    })
  })
})

describe('checksumOf', () => {
  const digest = 'ab'.repeat(32)
  const other = 'cd'.repeat(32)
  it.each([
    ['a bare digest', `${digest}\n`, digest],
    ['a list', `${other}  other.tar.gz\n${digest}  file.tar.gz\n`, digest],
    ['a list in binary mode', `${digest} *file.tar.gz\n`, digest],
    ['a list without the file', `${other}  other.tar.gz\n`, undefined],
    ['a web page', '<html>sign in</html>', undefined],
    ['nothing', '', undefined],
  ])('reads %s', (_, text, expected) => {
    expect(checksumOf('https://host/path/file.tar.gz', text)).toBe(expected)
  })
})
