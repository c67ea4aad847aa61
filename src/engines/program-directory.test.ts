import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { forAbandoned, takeProgramDirectory } from './program-directory.ts'

test('each oooi that runs the program has its own; what one has left behind is found by the next', async () => {
  const stateDir = await mkdtemp(join(tmpdir(), 'oooi-program-'))
  const first = await takeProgramDirectory(stateDir, 'envoy')
  const second = await takeProgramDirectory(stateDir, 'envoy')
  expect([first, second].map(({ path }) => basename(path))).toEqual(['envoy', 'envoy-2'])
  const abandoned: string[] = []
  const look = () => forAbandoned(stateDir, 'envoy', async (path) => void abandoned.push(basename(path)))
  await look()
  expect(abandoned).toEqual([])
  await second.release()
  await look()
  expect(abandoned).toEqual(['envoy-2'])
  await first.release()
  const third = await takeProgramDirectory(stateDir, 'envoy')
  expect(basename(third.path)).toBe('envoy')
  await third.release()
  await rm(stateDir, { recursive: true })
})
