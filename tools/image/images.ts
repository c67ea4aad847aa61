import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { cached } from '../../src/lab/cache.ts'
import { ociArchive } from './oci.ts'
import { programWithLibraries } from './program.ts'
import { type TarEntry, tar } from './tar.ts'

const run = promisify(execFile)
const checkout = join(import.meta.dirname, '..', '..')
const architecture = process.arch === 'x64' ? 'amd64' : process.arch

/** `nonroot`, as distroless images have it. */
const ordinaryUser = '65532:65532'

const accounts: readonly TarEntry[] = [
  file('etc/passwd', 'root:x:0:0:root:/:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/tmp:/sbin/nologin\n'),
  file('etc/group', 'root:x:0:\nnonroot:x:65532:\n'),
  file('etc/nsswitch.conf', 'hosts: files dns\n'),
  { path: 'tmp', mode: 0o1777 },
]

function file(path: string, text: string): TarEntry {
  return { path, content: Buffer.from(text), mode: 0o644 }
}

/**
 * glibc gives each thread its own memory to allocate from and keeps what they free. V8 compiles and collects in threads of
 * its own, so a process with one thread of work held 10 to 20 MB of that.
 */
export const thriftyMalloc = { MALLOC_ARENA_MAX: '1' }

/** oooi as it is in this checkout: the Node that the project brings, and the bundle. */
export async function oooiImage(reference: string, version: string): Promise<Buffer> {
  await run(process.execPath, ['tools/build.ts'], { cwd: checkout })
  const app = tar(await filesBelow(join(checkout, 'dist', 'oooi'), 'opt/oooi'))
  return ociArchive({
    reference,
    architecture,
    layers: [await nodeLayer(), app],
    user: ordinaryUser,
    entrypoint: ['/usr/bin/node', '/opt/oooi/oooi.mjs'],
    environment: { PATH: '/usr/bin:/bin', NODE_ENV: 'production', ...thriftyMalloc },
    labels: { 'org.opencontainers.image.title': 'oooi', 'org.opencontainers.image.version': version },
  })
}

async function filesBelow(folder: string, path: string): Promise<TarEntry[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = found.filter((file) => file.isFile()).map((file) => relative(folder, join(file.parentPath, file.name)))
  return Promise.all(
    files.map(async (name) => ({
      path: `${path}/${name}`,
      content: await readFile(join(folder, name)),
      mode: 0o755,
    })),
  )
}

/** The same for every version of oooi, so it is made once per Node and pulled once per node. */
async function nodeLayer(): Promise<Buffer> {
  const files = await programWithLibraries(join(nodePackage(), 'bin', 'node'), 'usr/bin/node')
  const hash = createHash('sha256')
  for (const { path, content } of files) hash.update(`${path}\0${content.length}\0`).update(content)
  const version = hash.digest('hex').slice(0, 16)
  const folder = await cached({ name: 'image-node', version }, (directory) =>
    writeFile(join(directory, 'layer.tar'), tar([...accounts, ...files])),
  )
  return readFile(join(folder, 'layer.tar'))
}

function nodePackage(): string {
  return join(checkout, 'node_modules', `node-linux-${process.arch}`)
}

/** One program of this machine and the libraries it needs, under its own name; for the programs of others. */
export async function programImage(reference: string, binary: string): Promise<Buffer> {
  const name = basename(binary)
  const layer = tar([...accounts, ...(await programWithLibraries(binary, `usr/local/bin/${name}`))])
  const environment = { PATH: '/usr/local/bin' }
  const entrypoint = [`/usr/local/bin/${name}`]
  return ociArchive({ reference, architecture, layers: [layer], user: ordinaryUser, entrypoint, environment })
}

const busyboxNames = ['sh', 'sleep', 'cat', 'echo', 'ip', 'ls', 'nc', 'ping', 'nslookup', 'touch', 'rm', 'id', 'kill']

/** A shell and small tools in one static program; also good for holding a pod's namespaces open. */
export async function busyboxImage(reference: string, entrypoint: readonly string[]): Promise<Buffer> {
  const files = await programWithLibraries('/usr/bin/busybox', 'bin/busybox')
  const links = busyboxNames.map((name) => ({ path: `bin/${name}`, target: 'busybox' }))
  const layer = tar([...accounts, ...files, ...links])
  const environment = { PATH: '/bin' }
  return ociArchive({ reference, architecture, layers: [layer], user: ordinaryUser, entrypoint, environment })
}

/** Envoy as its project's distroless image has it: one program at its customary place, an ordinary user. */
export async function envoyImage(reference: string, program: string): Promise<Buffer> {
  const layer = tar([...accounts, ...(await programWithLibraries(program, 'usr/local/bin/envoy'))])
  const entrypoint = ['/usr/local/bin/envoy']
  return ociArchive({ reference, architecture, layers: [layer], user: ordinaryUser, entrypoint })
}

/** CoreDNS as its own project ships it: one program, an ordinary user. */
export async function corednsImage(reference: string, program: string): Promise<Buffer> {
  const layer = tar([...accounts, ...(await programWithLibraries(program, 'coredns'))])
  return ociArchive({ reference, architecture, layers: [layer], user: ordinaryUser, entrypoint: ['/coredns'] })
}
