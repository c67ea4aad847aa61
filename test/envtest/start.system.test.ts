import { access, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { locateAssets } from '../../tools/kube/locate.ts'
import { describeWithControlPlane } from './availability.ts'
import { startControlPlane } from './controlplane.ts'

describeWithControlPlane('a control plane that cannot start', () => {
  let assets: string
  beforeEach(async () => {
    assets = await mkdtemp(join(tmpdir(), 'oooi-assets-'))
    const real = await locateAssets('control-plane', process.env)
    await symlink(join(real ?? '', 'etcd'), join(assets, 'etcd'))
  })
  afterEach(() => rm(assets, { recursive: true }))

  /** Stands for a server that does not like one of its flags. */
  const broken = '#!/bin/sh\necho "$@"; echo "Error: unknown flag: --x"; exit 3\n'

  it('says which component ended, shows its log and leaves nothing', async () => {
    await writeFile(join(assets, 'kube-apiserver'), broken, {
      mode: 0o755,
    })
    const error = await startControlPlane({ assets }).catch((reason: unknown) => reason)
    const message = error instanceof Error ? error.message : ''
    expect(message).toContain('kube-apiserver ended (3) before /readyz was ok. The end of its log:')
    expect(message).toContain('Error: unknown flag: --x')
    const file = /--client-ca-file=(\S+)/.exec(message)?.[1] ?? ''
    expect(file).toContain('oooi-control-plane-')
    await expect(access(join(file, '..'))).rejects.toThrow('ENOENT')
  })

  it('blames etcd for what etcd did', async () => {
    await rm(join(assets, 'etcd'))
    await writeFile(join(assets, 'etcd'), broken, { mode: 0o755 })
    await expect(startControlPlane({ assets })).rejects.toThrow('etcd ended (3) before /health was ok')
  })

  it('says which binary cannot be run', async () => {
    await expect(startControlPlane({ assets })).rejects.toThrow(
      /kube-apiserver ended .* before .*\n.*No such file or directory/,
    )
  })
})
