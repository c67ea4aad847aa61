/** A file of an archive. Owner, time and order are fixed, so that the same content gives the same bytes everywhere. */
export interface TarFile {
  /** Relative, with forward slashes. */
  readonly path: string
  readonly content: Buffer
  readonly mode: number
}

/** A symbolic link, e.g. of a program that has many names. */
export interface TarLink {
  readonly path: string
  readonly target: string
}

/** An empty directory with rights of its own, such as /tmp. */
export interface TarDirectory {
  readonly path: string
  readonly mode: number
}

export type TarEntry = TarFile | TarLink | TarDirectory

const blockBytes = 512

/** A POSIX archive (ustar), sorted by path, with the directories that the entries need. */
export function tar(entries: readonly TarEntry[]): Buffer {
  const given = new Set(entries.map((entry) => entry.path))
  const parents = new Set(entries.flatMap((entry) => parentsOf(entry.path)).filter((path) => !given.has(path)))
  const all: TarEntry[] = [...entries, ...[...parents].map((path) => ({ path, mode: 0o755 }))]
  all.sort((left, right) => (left.path < right.path ? -1 : 1))
  return Buffer.concat([...all.flatMap(blocksOf), Buffer.alloc(2 * blockBytes)])
}

function parentsOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

function blocksOf(entry: TarEntry): Buffer[] {
  if ('content' in entry) {
    const padding = Buffer.alloc(-entry.content.length & (blockBytes - 1))
    return [header(entry.path, '0', entry.mode, entry.content.length), entry.content, padding]
  }
  if ('target' in entry) return [header(entry.path, '2', 0o777, 0, entry.target)]
  return [header(`${entry.path}/`, '5', entry.mode, 0)]
}

function header(path: string, type: string, mode: number, size: number, target = ''): Buffer {
  if (Buffer.byteLength(path) > 100 || Buffer.byteLength(target) > 100) {
    throw new Error(`"${path}" is longer than the 100 bytes that a plain archive has for a path: shorten it`)
  }
  const block = Buffer.alloc(blockBytes)
  const octal = (value: number, at: number, digits: number): number =>
    block.write(value.toString(8).padStart(digits, '0'), at, 'latin1')
  block.write(path, 0)
  octal(mode, 100, 7)
  octal(0, 108, 7)
  octal(0, 116, 7)
  octal(size, 124, 11)
  octal(0, 136, 11)
  block.write('        ', 148, 'latin1')
  block.write(type, 156, 'latin1')
  block.write(target, 157)
  block.write('ustar\0' + '00', 257, 'latin1')
  const checksum = block.reduce((sum, byte) => sum + byte, 0)
  block.write(`${checksum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return block
}
