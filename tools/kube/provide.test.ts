import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { components, versions } from './components.ts'
import { cacheEntry } from './locate.ts'
import { provideAssets, type Surroundings } from './provide.ts'

const names = components['control-plane'].map((component) => component.name).sort()

/** A file that breaks off while it is sent. */
const brokenOff = Buffer.from('broken off')

/** A release host on loopback that has what its map has. */
async function publish(files: Map<string, Buffer>): Promise<{ server: Server; url: string; asked: string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    const body = files.get(request.url ?? '')
    if (body === brokenOff) response.writeHead(200, { 'content-length': 1e6 }).write(body, () => response.destroy())
    else if (body) response.end(body)
    else response.writeHead(404).end('not here')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('no port')
  return { server, url: `http://127.0.0.1:${address.port}`, asked }
}

const sha256 = (data: Buffer) => createHash('sha256').update(data).digest('hex')

describe('provideAssets', () => {
  let directory: string
  let surroundings: Surroundings & { root: string }
  let host: Awaited<ReturnType<typeof publish>>
  let files: Map<string, Buffer>
  let written: string

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'oooi-kube-'))
    files = await releaseFiles(directory)
    host = await publish(files)
    written = ''
    surroundings = {
      // No PATH: nothing here may find a compiler and build for minutes.
      env: { PATH: join(directory, 'nothing') },
      output: {
        write: (text) => {
          written += text
        },
      },
      hosts: { kubernetes: host.url, github: host.url },
      root: join(directory, 'cache'),
    }
  })
  afterEach(async () => {
    host.server.close()
    await rm(directory, { recursive: true, force: true })
  })

  it('downloads, checks and caches the official releases', async () => {
    const folder = await provideAssets('control-plane', surroundings)
    const { name, version } = cacheEntry('control-plane')
    expect(folder).toBe(join(surroundings.root, name, version))
    expect((await readdir(folder)).sort()).toEqual(names)
    expect(execFileSync(join(folder, 'etcd'), { encoding: 'utf8' })).toBe('I am etcd\n')
    expect(execFileSync(join(folder, 'kubectl'), { encoding: 'utf8' })).toBe('I am kubectl\n')
    expect(written).toContain('downloading kube-apiserver (1 of 4)')
  })

  it('asks nobody the second time', async () => {
    const first = await provideAssets('control-plane', surroundings)
    host.asked.length = 0
    expect(await provideAssets('control-plane', surroundings)).toBe(first)
    expect(host.asked).toEqual([])
  })

  it('refuses a file that does not have the published checksum, and caches nothing', async () => {
    files.set(kubernetesFile('kubectl'), Buffer.from('#!/bin/sh\necho evil\n'))
    await expect(provideAssets('control-plane', surroundings)).rejects.toThrow(/kubectl has SHA-256 .* tampered with/)
    expect(await readdir(join(surroundings.root, 'kube-control-plane'))).toEqual([])
  })

  it('says in one sentence why neither download nor build is possible', async () => {
    files.delete(`${kubernetesFile('kube-apiserver')}.sha256`)
    await expect(provideAssets('control-plane', surroundings)).rejects.toThrow(
      /cannot be downloaded \(.*kube-apiserver.sha256 answered 404\) nor built \(there is no "go" on PATH; install Go/,
    )
  })

  it('is not fooled by a portal that answers everything', async () => {
    files.set(`${kubernetesFile('kubectl')}.sha256`, Buffer.from('<html>please sign in</html>'))
    await expect(provideAssets('control-plane', surroundings)).rejects.toThrow('holds no SHA-256 of kubectl')
  })

  it.each([
    ['is not there', undefined],
    ['breaks off', brokenOff],
  ])('builds all with Go when a file %s, and drops what was downloaded', async (_, body) => {
    if (body) files.set(kubernetesFile('kubectl'), body)
    else files.delete(kubernetesFile('kubectl'))
    await mkdir(join(directory, 'bin'))
    // Stands for the compiler: writes the file after -o.
    const go = '#!/bin/sh\n[ "$1" = env ] && echo go1.26.8 && exit\n while [ "$1" != -o ]; do shift; done\n'
    await writeFile(join(directory, 'bin', 'go'), `${go}printf '#!/bin/sh\\necho built\\n' > "$2"; chmod 755 "$2"\n`)
    await chmod(join(directory, 'bin', 'go'), 0o755)
    const env = { PATH: `${join(directory, 'bin')}:/bin:/usr/bin` }
    const folder = await provideAssets('control-plane', { ...surroundings, env })
    expect((await readdir(folder)).sort()).toEqual(names)
    expect(await readFile(join(folder, 'kube-apiserver'), 'utf8')).toContain('built')
    expect(written).toContain('building kubectl with go1.26.8 (4 of 4)')
  })

  describe('with KUBEBUILDER_ASSETS', () => {
    const own = () => join(directory, 'own')
    beforeEach(async () => {
      await mkdir(own())
      for (const name of names) await writeFile(join(own(), name), '', { mode: 0o755 })
    })
    const provide = () =>
      provideAssets('control-plane', { ...surroundings, env: { ...surroundings.env, KUBEBUILDER_ASSETS: own() } })

    it('uses that folder', async () => {
      expect(await provide()).toBe(own())
      expect(host.asked).toEqual([])
    })

    it('says what it lacks', async () => {
      await rm(join(own(), 'kubectl'))
      await chmod(join(own(), 'etcd'), 0o644)
      await expect(provide()).rejects.toThrow(`KUBEBUILDER_ASSETS=${own()} has no executable etcd, kubectl: put them`)
    })
  })
})

function kubernetesFile(name: string): string {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch
  return `/v${versions.kubernetes}/bin/linux/${architecture}/${name}`
}

/** Scripts in the places and forms in which the projects publish their binaries. */
async function releaseFiles(directory: string): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  const script = (name: string) => Buffer.from(`#!/bin/sh\necho I am ${name}\n`)
  for (const name of names.filter((other) => other !== 'etcd')) {
    files.set(kubernetesFile(name), script(name))
    files.set(`${kubernetesFile(name)}.sha256`, Buffer.from(sha256(script(name))))
  }
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch
  const folder = `etcd-v${versions.etcd}-linux-${architecture}`
  await mkdir(join(directory, folder))
  await writeFile(join(directory, folder, 'etcd'), script('etcd'))
  await writeFile(join(directory, folder, 'README.md'), 'not wanted')
  execFileSync('tar', ['-czf', join(directory, 'etcd.tar.gz'), '-C', directory, folder])
  const archive = await readFile(join(directory, 'etcd.tar.gz'))
  const base = `/etcd-io/etcd/releases/download/v${versions.etcd}`
  files.set(`${base}/${folder}.tar.gz`, archive)
  files.set(`${base}/SHA256SUMS`, Buffer.from(`${'0'.repeat(64)}  other\n${sha256(archive)}  ${folder}.tar.gz\n`))
  return files
}
