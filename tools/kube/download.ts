import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { chmod, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { type Output, withProgress } from './progress.ts'
import { checksumOf, type Release } from './release.ts'

const run = promisify(execFile)
const probeTimeoutMs = 4_000

/** The network let us down: another way may be tried. Anything else thrown here must stop the set-up. */
export class Unavailable extends Error {}

/**
 * Fetches every release into the folder. All checksums are asked for first: this is the probe that tells quickly
 * whether the release hosts can be reached, and whoever answers it with something else (a captive portal, a proxy's
 * error page) is not a release host.
 */
export async function download(releases: readonly Release[], folder: string, output: Output): Promise<void> {
  const checksums = await Promise.all(releases.map(publishedChecksum))
  for (const [index, release] of releases.entries()) {
    const label = `downloading ${release.names.join(', ')} (${index + 1} of ${releases.length})`
    await withProgress(output, label, (detail) => fetchRelease(release, checksums[index] ?? '', folder, detail))
  }
}

async function publishedChecksum(release: Release): Promise<string> {
  const response = await reach(release.checksumUrl, AbortSignal.timeout(probeTimeoutMs))
  const text = await response.text().catch((error) => Promise.reject(unavailable(release.checksumUrl, error)))
  const checksum = checksumOf(release.url, text)
  if (!checksum) throw new Unavailable(`${release.checksumUrl} holds no SHA-256 of ${basename(release.url)}`)
  return checksum
}

async function fetchRelease(
  release: Release,
  checksum: string,
  folder: string,
  detail: (text: string) => void,
): Promise<void> {
  const file = join(folder, basename(release.url))
  const actual = await fetchFile(release.url, file, detail)
  if (actual !== checksum) {
    throw new Error(
      `${release.url} has SHA-256 ${actual} but ${release.checksumUrl} says ${checksum}: the download was damaged or tampered with`,
    )
  }
  if (release.members) await unpack(file, release.members, folder)
  for (const name of release.names) await chmod(join(folder, name), 0o755)
}

async function fetchFile(url: string, file: string, detail: (text: string) => void): Promise<string> {
  const response = await reach(url)
  if (!response.body) throw new Unavailable(`${url} answered without a body`)
  const digest = createHash('sha256')
  let bytes = 0
  const counted = async function* (source: AsyncIterable<Uint8Array>) {
    for await (const chunk of source) {
      digest.update(chunk)
      bytes += chunk.length
      detail(`${Math.round(bytes / 1e6)} MB`)
      yield chunk
    }
  }
  try {
    await pipeline(Readable.fromWeb(response.body), counted, createWriteStream(file))
  } catch (error) {
    throw unavailable(url, error)
  }
  return digest.digest('hex')
}

async function unpack(archive: string, members: Readonly<Record<string, string>>, folder: string): Promise<void> {
  await run('tar', ['-xzf', archive, '-C', folder, ...Object.values(members)])
  const leftovers = new Set<string>()
  for (const [name, member] of Object.entries(members)) {
    await rename(join(folder, member), join(folder, name))
    leftovers.add(member.split('/')[0] ?? member)
  }
  for (const leftover of leftovers) await rm(join(folder, leftover), { recursive: true })
  await rm(archive)
}

async function reach(url: string, signal?: AbortSignal): Promise<Response> {
  const response = await fetch(url, signal ? { signal } : {}).catch((error) => Promise.reject(unavailable(url, error)))
  if (!response.ok) throw new Unavailable(`${url} answered ${response.status}`)
  return response
}

function unavailable(url: string, error: unknown): Unavailable {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return new Unavailable(`${url}: ${cause instanceof Error ? cause.message : String(cause)}`)
}
