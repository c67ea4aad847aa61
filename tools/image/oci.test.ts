import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ociArchive } from './oci.ts'
import { tar } from './tar.ts'

const layer = tar([{ path: 'hello', content: Buffer.from('hello'), mode: 0o644 }])
const plan = {
  reference: 'oooi.test/hello:1',
  architecture: 'amd64',
  layers: [layer, layer],
  user: '65532:65532',
  entrypoint: ['/hello'],
  environment: { PATH: '/bin' },
  labels: { title: 'hello' },
}

it('is an image layout in which every digest leads to a blob of that content', () => {
  const directory = mkdtempSync(join(tmpdir(), 'oooi-oci-'))
  try {
    writeFileSync(join(directory, 'image.tar'), ociArchive(plan))
    execFileSync('tar', ['-xf', 'image.tar'], { cwd: directory })
    const json = (path: string) => JSON.parse(readFileSync(join(directory, path), 'utf8'))
    const blob = ({ digest, size }: { digest: string; size: number }): string => {
      const path = `blobs/${digest.replace(':', '/')}`
      const content = readFileSync(join(directory, path))
      expect(`sha256:${createHash('sha256').update(content).digest('hex')}`).toBe(digest)
      expect(content.length).toBe(size)
      return path
    }
    expect(json('oci-layout')).toEqual({ imageLayoutVersion: '1.0.0' })
    const [descriptor] = json('index.json').manifests
    expect(descriptor.annotations['io.containerd.image.name']).toBe('oooi.test/hello:1')
    const manifest = json(blob(descriptor))
    for (const one of manifest.layers) expect(readFileSync(join(directory, blob(one)))).toEqual(layer)
    const config = json(blob(manifest.config))
    expect(config.rootfs.diff_ids).toEqual(manifest.layers.map((one: { digest: string }) => one.digest))
    expect(config.config).toMatchObject({ User: '65532:65532', Entrypoint: ['/hello'], Env: ['PATH=/bin'] })
  } finally {
    rmSync(directory, { recursive: true })
  }
})

it('is the same bytes for the same plan', () => {
  expect(ociArchive(plan)).toEqual(ociArchive(plan))
})
