import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TarEntry, tar } from './tar.ts'

const entries: TarEntry[] = [
  { path: 'usr/bin/tool', content: Buffer.from('#!/bin/sh\n'), mode: 0o755 },
  { path: 'bin/sh', target: 'busybox' },
  { path: 'tmp', mode: 0o1777 },
  { path: 'empty', content: Buffer.alloc(0), mode: 0o644 },
  { path: 'block', content: Buffer.alloc(512, 'x'), mode: 0o600 },
]

describe('an archive', () => {
  let directory: string
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'oooi-tar-'))
    writeFileSync(join(directory, 'a.tar'), tar(entries))
  })
  afterAll(() => rmSync(directory, { recursive: true }))
  const read = (...args: string[]): string => execFileSync('tar', args, { cwd: directory, encoding: 'utf8' })

  it('is what tar reads: sorted, with parents, owners and times fixed', () => {
    const lines = read('--numeric-owner', '--utc', '-tvf', 'a.tar').trim().split('\n')
    const listed = lines.map((line) => line.replace(/\s+/g, ' '))
    expect(listed).toEqual([
      'drwxr-xr-x 0/0 0 1970-01-01 00:00 bin/',
      'lrwxrwxrwx 0/0 0 1970-01-01 00:00 bin/sh -> busybox',
      '-rw------- 0/0 512 1970-01-01 00:00 block',
      '-rw-r--r-- 0/0 0 1970-01-01 00:00 empty',
      'drwxrwxrwt 0/0 0 1970-01-01 00:00 tmp/',
      'drwxr-xr-x 0/0 0 1970-01-01 00:00 usr/',
      'drwxr-xr-x 0/0 0 1970-01-01 00:00 usr/bin/',
      '-rwxr-xr-x 0/0 10 1970-01-01 00:00 usr/bin/tool',
    ])
    expect(read('-xOf', 'a.tar', 'usr/bin/tool')).toBe('#!/bin/sh\n')
  })

  it('does not depend on the order in which it is told', () => {
    expect(tar(entries.toReversed())).toEqual(tar(entries))
  })

  it('refuses a path that does not fit', () => {
    expect(() => tar([{ path: 'x'.repeat(101), content: Buffer.alloc(0), mode: 0o644 }])).toThrow('shorten it')
  })
})
