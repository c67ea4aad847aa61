import { execFile } from 'node:child_process'
import { readFile, realpath } from 'node:fs/promises'
import { basename } from 'node:path'
import { promisify } from 'node:util'
import type { TarFile } from './tar.ts'

const run = promisify(execFile)

/** A program of this machine and the shared libraries it needs, at the places where the loader looks for them. */
export async function programWithLibraries(binary: string, at: string): Promise<TarFile[]> {
  const libraries = await librariesOf(binary)
  return [
    { path: at, content: await readFile(binary), mode: 0o755 },
    ...(await Promise.all(
      libraries.map(async (path) => ({
        path: isLoader(path) ? path.slice(1) : `lib/${basename(path)}`,
        content: await readFile(await realpath(path)),
        mode: 0o755,
      })),
    )),
  ]
}

/** `ldd` names each library with the file it found, and the loader by its path alone. */
async function librariesOf(binary: string): Promise<string[]> {
  const { stdout } = await run('ldd', [binary]).catch((error: { stdout?: string; stderr?: string }) => {
    if (`${error.stdout}${error.stderr}`.includes('not a dynamic executable')) return { stdout: '' }
    throw error
  })
  const missing = /^\s*(\S+) => not found/m.exec(stdout)?.[1]
  if (missing) throw new Error(`${binary} needs ${missing}, which is not installed here`)
  return [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path)
}

/** The one library whose path is written into every program. */
function isLoader(path: string): boolean {
  return basename(path).startsWith('ld-linux')
}
