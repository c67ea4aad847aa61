import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { run } from '../../src/lab/host/command.ts'
import { findTool } from '../../src/lab/host/tools.ts'

/** The files for a host without Kubernetes, in the eyes of the programs that read them. */

const root = join(import.meta.dirname, '..', '..')
const rules = join(root, 'config', 'prometheus', 'oooi-alerts.yaml')

test('alerts ask for metrics that exist', () => {
  const { groups } = parse(readFileSync(rules, 'utf8'))
  const asked = new Set<string>(JSON.stringify(groups).match(/\boooi_\w+/g))
  const sources = globSync('src/**/*.ts', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'))
  const missing = [...asked].filter((name) => !sources.some((text) => text.includes(`'${name}'`)))
  expect(missing).toEqual([])
  expect(asked.size).toBeGreaterThan(5)
})

test.skipIf(!findTool('promtool'))('promtool accepts them', async () => {
  expect(await run('promtool', ['check', 'rules', rules])).toContain('SUCCESS')
})

test.skipIf(!findTool('systemd-analyze'))('systemd accepts the unit', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'oooi-unit-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const unit = readFileSync(join(root, 'config', 'systemd', 'oooi@.service'), 'utf8')
  // It looks for the program and the user on this machine.
  const here = unit.replaceAll('/usr/local/bin/oooi', join(root, 'bin', 'oooi')).replace('User=oooi', 'User=daemon')
  await writeFile(join(directory, 'oooi@.service'), here)
  expect(await run('systemd-analyze', ['verify', join(directory, 'oooi@.service')])).toBe('')
})
