import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { closeServer } from '../../engines/proxy/testing/loopback.ts'
import { answerIn, framed, runOverSerial, shellSocket } from './serial-shell.ts'

/** A shell as at the other end of the line, but for the terminal that it has there. */
function shellSays(line: string): Buffer {
  return execFileSync('sh', { input: line.replaceAll(/stty [^;]+(; |$)/g, ''), stdio: ['pipe', 'pipe', 'ignore'] })
}

test.each([
  [['echo', "it's", '$HOME', ' two  words '], "it's $HOME  two  words \n", 0],
  [['printf', 'no end of line'], 'no end of line', 0],
  [['sh', '-c', 'echo one; exit 7'], 'one\n', 7],
  [['nosuchprogram'], '', 127],
  [['cat'], '', 0],
])('what %j prints, and how it ends', (command, output, exitCode) => {
  const echo = Buffer.from(`${framed(command)}\r\n`)
  const answer = answerIn(Buffer.concat([echo, shellSays(framed(command))]))
  expect(answer).toEqual({ output: Buffer.from(output), exitCode })
})

test('an answer is none before its end', () => {
  const said = shellSays(framed(['echo', 'hello']))
  for (let length = 0; length < said.length; length++) expect(answerIn(said.subarray(0, length))).toBeUndefined()
})

test('a machine that is off, and a command too long for its line, are a sentence each', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'oooi-serial-'))
  const path = shellSocket(directory, 'worker-qemu')
  const goesOn = new AbortController().signal
  expect(await runOverSerial(path, 'worker-qemu', ['true'], goesOn)).toMatchObject({
    problems: [{ message: expect.stringContaining('no shell answers on worker-qemu') }],
  })
  expect(await runOverSerial(path, 'worker-qemu', ['x'.repeat(1000)], goesOn)).toMatchObject({
    problems: [{ message: expect.stringContaining('too long') }],
  })
  const machine = createServer((port) => port.once('data', () => port.end()))
  await new Promise<void>((resolve) => machine.listen(path, resolve))
  expect(await runOverSerial(path, 'worker-qemu', ['true'], goesOn)).toMatchObject({ ok: false })
  await closeServer(machine)
  rmSync(directory, { recursive: true })
})
