/** A file of an initramfs. Directories above it need not be named. */
export interface ArchiveFile {
  /** Without a leading slash. */
  readonly path: string
  readonly mode: number
  readonly content: Uint8Array
}

const regularFile = 0o100000
const directory = 0o040000

/** A cpio archive in the `newc` format, the one the kernel unpacks at boot. Two of them in a row are one initramfs. */
export function cpioArchive(files: readonly ArchiveFile[]): Buffer {
  const parts: Buffer[] = []
  let inode = 1
  const add = (path: string, mode: number, content: Uint8Array): void => {
    const name = Buffer.from(`${path}\0`)
    // Magic, inode, mode, uid, gid, links, mtime, size, device (2), special device (2), length of the name, checksum.
    const numbers = [inode++, mode, 0, 0, 1, 0, content.length, 0, 0, 0, 0, name.length, 0]
    const header = `070701${numbers.map((number) => number.toString(16).padStart(8, '0')).join('')}`
    parts.push(padded(Buffer.concat([Buffer.from(header), name])), padded(content))
  }
  for (const path of directoriesAbove(files)) add(path, directory | 0o755, Buffer.alloc(0))
  for (const file of files) add(file.path, regularFile | file.mode, file.content)
  add('TRAILER!!!', 0, Buffer.alloc(0))
  return Buffer.concat(parts)
}

/** Parents before their children, each once. */
function directoriesAbove(files: readonly ArchiveFile[]): string[] {
  const found = new Set<string>()
  for (const file of files) {
    const parts = file.path.split('/').slice(0, -1)
    for (let depth = 1; depth <= parts.length; depth++) found.add(parts.slice(0, depth).join('/'))
  }
  return [...found]
}

function padded(bytes: Uint8Array): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)])
}
