import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cached } from './cache.ts'

describe('cached', () => {
  let root: string
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'oooi-cache-'))
  })
  afterEach(() => rm(root, { recursive: true, force: true }))

  const kernel = { name: 'kernel', version: '6.1.0-1+deb12~x' }

  it('builds once and then finds the entry', async () => {
    let builds = 0
    const build = async (directory: string) => {
      builds++
      await writeFile(join(directory, 'vmlinuz'), 'bytes')
    }
    const first = await cached(kernel, build, root)
    const second = await cached(kernel, build, root)
    expect(first).toBe(join(root, 'kernel', kernel.version))
    expect(second).toBe(first)
    expect(builds).toBe(1)
    expect(await readFile(join(first, 'vmlinuz'), 'utf8')).toBe('bytes')
  })

  it('keeps another version beside it', async () => {
    await cached(kernel, async () => {}, root)
    await cached({ ...kernel, version: '6.2' }, async () => {}, root)
    expect((await readdir(join(root, 'kernel'))).sort()).toEqual(['6.1.0-1+deb12~x', '6.2'])
  })

  it('leaves nothing when the build fails, and builds anew next time', async () => {
    const failing = cached(
      kernel,
      async (directory) => {
        await writeFile(join(directory, 'half'), '')
        throw new Error('no network')
      },
      root,
    )
    await expect(failing).rejects.toThrow('no network')
    expect(await readdir(join(root, 'kernel'))).toEqual([])
    await cached(kernel, async () => {}, root)
    expect(await readdir(join(root, 'kernel'))).toEqual([kernel.version])
  })

  it('lets one of many build while the others wait', async () => {
    let builds = 0
    const build = async (directory: string) => {
      builds++
      await new Promise((resolve) => setTimeout(resolve, 50))
      await writeFile(join(directory, 'done'), '')
    }
    const paths = await Promise.all(Array.from({ length: 8 }, () => cached(kernel, build, root)))
    expect(new Set(paths).size).toBe(1)
    expect(builds).toBe(1)
  })

  it('builds when the one it waited for failed', async () => {
    let waiting: Promise<string> | undefined
    const failing = cached(
      kernel,
      async () => {
        waiting = cached(kernel, async () => {}, root)
        await new Promise((resolve) => setTimeout(resolve, 50))
        throw new Error('killed')
      },
      root,
    )
    await expect(failing).rejects.toThrow('killed')
    expect(await waiting).toBe(join(root, 'kernel', kernel.version))
  })

  it('removes what a killed builder left, and not what a living one is building', async () => {
    await mkdir(join(root, 'kernel', `.unfinished-999999999-6.1`), { recursive: true })
    await mkdir(join(root, 'kernel', `.unfinished-1-6.1`))
    await cached(kernel, async () => {}, root)
    expect((await readdir(join(root, 'kernel'))).sort()).toEqual(['.unfinished-1-6.1', kernel.version])
  })

  it('takes the result of a quicker builder it could not see', async () => {
    const path = await cached(
      kernel,
      async () => {
        await mkdir(join(root, 'kernel', kernel.version))
        await writeFile(join(root, 'kernel', kernel.version, 'theirs'), '')
      },
      root,
    )
    expect(await readdir(path)).toEqual(['theirs'])
  })

  it.each(['', '..', 'a/b', '.hidden'])('refuses the name %j', async (name) => {
    await expect(cached({ name, version: '1' }, async () => {}, root)).rejects.toThrow('cannot be a directory name')
  })
})
