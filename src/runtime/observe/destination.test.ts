import { openSync } from 'node:fs'
import { devNull } from 'node:os'
import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { type LogSurroundings, logDestination } from './destination.ts'
import { createLogger } from './log.ts'

const written: string[] = []

function surroundings(changes: Partial<LogSurroundings>): LogSurroundings {
  written.length = 0
  const stderr = new Writable({
    write(chunk, _, done) {
      written.push(String(chunk))
      done()
    },
  })
  return { identifier: 'oooi', stderr, env: {}, inherited: [], unblock: () => undefined, ...changes }
}

test('a line as it is; under systemd with its priority', () => {
  createLogger('info', logDestination(surroundings({}))).error('disk')
  expect(written).toEqual([expect.stringMatching(/^\{"level":"error"/)])
  createLogger('info', logDestination(surroundings({ env: { JOURNAL_STREAM: '9:1234' } }))).error('disk')
  expect(written).toEqual([expect.stringMatching(/^<3>\{"level":"error"/)])
})

test('a descriptor that is no socket, or not open at all, is left alone', () => {
  for (const fd of [openSync(devNull, 'w'), 12_345]) {
    logDestination(surroundings({ inherited: [{ fd, name: 'journal' }] })).write('{"level":"info"}\n')
    expect(written).toEqual(['{"level":"info"}\n'])
  }
})

test('what nobody reads is kept up to a bound, then counted, and told of when somebody reads again', async () => {
  const taken: string[] = []
  let takeNext: () => void = () => undefined
  const stderr = new Writable({
    write(chunk, _, done) {
      taken.push(String(chunk))
      takeNext = done
    },
  })
  const destination = logDestination(surroundings({ stderr }))
  const line = `${'x'.repeat(99_999)}\n`
  for (let count = 0; count < 20; count++) destination.write(line)
  expect(destination.lostLines()).toBe(9)
  while (stderr.writableLength > 0) {
    takeNext()
    await new Promise(setImmediate)
  }
  destination.write('again\n')
  expect(destination.lostLines()).toBe(9)
  expect(taken.at(-1)).toBe('{"level":"warn","lines":9,"msg":"lines of the log were lost: nobody read them"}\n')
})

test('lines for a reader that has gone are counted', async () => {
  const stderr = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) }).on(
    'error',
    () => undefined,
  )
  const destination = logDestination(surroundings({ stderr }))
  for (let count = 0; count < 3; count++) {
    destination.write('x\n')
    await new Promise(setImmediate)
  }
  expect(destination.lostLines()).toBeGreaterThanOrEqual(3)
})
