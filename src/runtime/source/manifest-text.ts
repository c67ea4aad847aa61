import { type FileHandle, open, stat } from 'node:fs/promises'
import { failed, ok, type Result } from '../../core/result.ts'
import { whyUnreadable } from '../host/why-unreadable.ts'

/** Four bytes for each of the characters that a manifest may have. */
const mostBytes = 4 * 1024 * 1024

/** The text of a manifest file, or one sentence that says why not. Never reads more than a manifest can have. */
export async function readManifestFile(path: string): Promise<Result<string>> {
  let file: FileHandle | undefined
  try {
    file = await open(path)
    return textOf(await beginningOf(file), path)
  } catch (error) {
    return unreadable(path, whyUnreadable(error))
  } finally {
    await file?.close()
  }
}

/** The same of a file that is read again and again: a pipe gives its text once, and keeps who asks again waiting. */
export async function readFollowedFile(path: string): Promise<Result<string>> {
  const kind = await stat(path).catch(() => undefined)
  if (kind?.isFIFO() || kind?.isSocket())
    return unreadable(path, 'it is a pipe; changes can be followed in a file alone')
  return readManifestFile(path)
}

/** A byte more than allowed, if there are so many. A device or a pipe may never end. */
async function beginningOf(file: FileHandle): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of file.createReadStream({ end: mostBytes, autoClose: false })) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function textOf(bytes: Buffer, path: string): Result<string> {
  if (bytes.length > mostBytes) return unreadable(path, 'it has more than 4 MiB and cannot be a manifest')
  try {
    return ok(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    const before = bytes.toString('utf8').split('\uFFFD', 1)[0] ?? ''
    const line = before.split('\n').length
    return unreadable(path, `line ${line} is not UTF-8; save the file as UTF-8`)
  }
}

function unreadable(path: string, why: string): Result<never> {
  return failed({ reason: 'FileUnreadable', message: `cannot read ${path}: ${why}` })
}
