import { describe, expect, it } from 'vitest'
import { cpioArchive } from './cpio.ts'

/** Reads the archive back as the kernel does: header, name and content, each filled up to whole words. */
function unpack(archive: Buffer): { path: string; mode: string; content: string }[] {
  const entries = []
  let at = 0
  const number = (field: number): number =>
    Number.parseInt(archive.toString('latin1', at + 6 + field * 8, at + 14 + field * 8), 16)
  const words = (bytes: number): number => Math.ceil(bytes / 4) * 4
  for (;;) {
    expect(archive.toString('latin1', at, at + 6)).toBe('070701')
    const [mode, size, nameLength] = [number(1), number(6), number(11)]
    const path = archive.toString('latin1', at + 110, at + 110 + nameLength - 1)
    if (path === 'TRAILER!!!') return entries
    const start = at + words(110 + nameLength)
    entries.push({ path, mode: mode.toString(8), content: archive.toString('latin1', start, start + size) })
    at = start + words(size)
  }
}

describe('a cpio archive', () => {
  it('holds each file, and each directory once and before what is in it', () => {
    const archive = cpioArchive([
      { path: 'init', mode: 0o755, content: Buffer.from('#!/bin/sh\n') },
      { path: 'etc/oooi-lab/vm.env', mode: 0o644, content: Buffer.from('A=1\n') },
      { path: 'etc/hosts', mode: 0o644, content: Buffer.alloc(0) },
    ])
    expect(unpack(archive)).toEqual([
      { path: 'etc', mode: '40755', content: '' },
      { path: 'etc/oooi-lab', mode: '40755', content: '' },
      { path: 'init', mode: '100755', content: '#!/bin/sh\n' },
      { path: 'etc/oooi-lab/vm.env', mode: '100644', content: 'A=1\n' },
      { path: 'etc/hosts', mode: '100644', content: '' },
    ])
    expect(archive.length % 4).toBe(0)
  })
})
