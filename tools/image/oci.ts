import { createHash } from 'node:crypto'
import { type TarEntry, tar } from './tar.ts'

/** What a container image is made of, and how it starts. */
export interface ImagePlan {
  /** Full reference, e.g. `oooi.test/oooi:dev`. */
  readonly reference: string
  readonly architecture: string
  /** Lowest first. */
  readonly layers: readonly Buffer[]
  readonly user: string
  readonly entrypoint: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly labels?: Readonly<Record<string, string>>
}

const types = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar',
} as const

interface Descriptor {
  readonly mediaType: string
  readonly digest: string
  readonly size: number
}

/**
 * An OCI image layout as one archive, which `ctr images import`, `podman load`, `docker load` and `skopeo` read. Layers are
 * not compressed: whoever pushes it does that, and a local import is quicker without.
 */
export function ociArchive(plan: ImagePlan): Buffer {
  const blobs: TarEntry[] = []
  const blob = (mediaType: string, content: Buffer): Descriptor => {
    const hash = createHash('sha256').update(content).digest('hex')
    const path = `blobs/sha256/${hash}`
    if (!blobs.some((known) => known.path === path)) blobs.push({ path, content, mode: 0o644 })
    return { mediaType, digest: `sha256:${hash}`, size: content.length }
  }
  const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))

  const layers = plan.layers.map((layer) => blob(types.layer, layer))
  const config = blob(types.config, json(configOf(plan, layers)))
  const manifest = blob(types.manifest, json({ schemaVersion: 2, mediaType: types.manifest, config, layers }))
  const annotations = {
    'io.containerd.image.name': plan.reference,
    'org.opencontainers.image.ref.name': plan.reference,
  }
  const index = { schemaVersion: 2, mediaType: types.index, manifests: [{ ...manifest, annotations }] }
  return tar([
    ...blobs,
    { path: 'index.json', content: json(index), mode: 0o644 },
    { path: 'oci-layout', content: json({ imageLayoutVersion: '1.0.0' }), mode: 0o644 },
  ])
}

function configOf(plan: ImagePlan, layers: readonly Descriptor[]): object {
  return {
    architecture: plan.architecture,
    os: 'linux',
    config: {
      User: plan.user,
      Entrypoint: plan.entrypoint,
      Env: Object.entries(plan.environment ?? {}).map(([name, value]) => `${name}=${value}`),
      WorkingDir: '/',
      Labels: plan.labels ?? {},
    },
    // Uncompressed, so that a layer's digest is also the digest of its content.
    rootfs: { type: 'layers', diff_ids: layers.map((layer) => layer.digest) },
  }
}
