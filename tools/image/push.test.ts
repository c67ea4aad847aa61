import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

/** The programs are stand-ins that note how they were called: there is no registry here. */
let directory: string
const archive = () => join(directory, 'oooi.oci.tar')
const calls = () => readFileSync(join(directory, 'calls'), 'utf8').replaceAll(archive(), 'ARCHIVE').trim().split('\n')

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'oooi-push-'))
  writeFileSync(archive(), '')
  for (const name of ['sed', 'head']) program(name, `exec /usr/bin/${name} "$@"`)
})

afterEach(() => rmSync(directory, { recursive: true }))

function program(name: string, script: string): void {
  writeFileSync(join(directory, name), `#!/bin/sh\n${script}\n`)
  chmodSync(join(directory, name), 0o755)
}

/** Says on `load` what the real ones say. */
function standIn(name: string): void {
  const load = 'if [ "$1" = load ]; then echo "Loaded image: localhost/oooi:latest"; fi'
  program(name, `echo "${name} $*" >>${join(directory, 'calls')}\n${load}`)
}

function push(image: string, file = archive()) {
  const { status, stderr } = spawnSync(join(import.meta.dirname, 'push'), [file, image], {
    env: { PATH: directory },
    encoding: 'utf8',
  })
  return { status, stderr }
}

test('skopeo copies it', () => {
  for (const name of ['skopeo', 'podman', 'docker']) standIn(name)
  expect(push('registry.example.com/oooi:1')).toEqual({ status: 0, stderr: '' })
  expect(calls()).toEqual(['skopeo copy oci-archive:ARCHIVE docker://registry.example.com/oooi:1'])
})

test.each(['podman', 'docker'])('%s loads it, gives it the name that was asked for, and pushes it', (name) => {
  standIn(name)
  expect(push('registry.example.com/oooi:1')).toEqual({ status: 0, stderr: '' })
  expect(calls().filter((call) => call !== 'docker version')).toEqual([
    `${name} load -q -i ARCHIVE`,
    `${name} tag localhost/oooi:latest registry.example.com/oooi:1`,
    `${name} push registry.example.com/oooi:1`,
  ])
})

test('without any of them, with a docker whose daemon does not run, and without an archive it says what to do', () => {
  expect(push('a/b:1')).toMatchObject({ status: 1, stderr: expect.stringContaining('install skopeo, podman') })
  program('docker', 'exit 1')
  expect(push('a/b:1')).toMatchObject({ status: 1, stderr: expect.stringContaining('start its daemon') })
  expect(push('a/b:1', '/nowhere')).toMatchObject({ status: 1, stderr: expect.stringContaining('container-build') })
})
