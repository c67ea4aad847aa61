import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { cached } from '../../../src/lab/cache.ts'
import { run } from '../../../src/lab/host/command.ts'
import type { Tool } from '../../../src/lab/host/tools.ts'

/** What `compile` needs; of two packages the compiler alone is not enough. */
export const compiler: readonly Tool[] = [{ command: 'gcc', package: 'gcc libc6-dev' }]

/** Compiles one C file into the cache, once per content, and gives the path of the result. */
export async function compile(source: string, options: readonly string[] = []): Promise<string> {
  const content = await readFile(source)
  const version = createHash('sha256').update(content).update(options.join(' ')).digest('hex').slice(0, 16)
  const result = basename(source, '.c')
  const folder = await cached({ name: `bench-${result}`, version }, async (directory) => {
    await run('gcc', ['-O2', '-Wall', '-Wextra', '-Werror', ...options, '-o', join(directory, result), source])
  })
  return join(folder, result)
}
