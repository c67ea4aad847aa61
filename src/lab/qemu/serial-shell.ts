import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { failed, ok, type Result } from '../../core/result.ts'

/** Where the second serial port of a machine comes out; a shell waits at its other end. */
export function shellSocket(directory: string, vm: string): string {
  return join(directory, `${vm}.shell`)
}

/** What the machine says when its shell is left; there is no other way to tell along a serial line. */
const leftMark = 0x04
/** Takes away what somebody left half typed. */
const clearLine = '\x15'
const interrupt = '\x03'
const interruptedWithinMs = 500
const patienceMs = 15_000
/** What the shell of the machine takes as one line. */
const maxLineLength = 1000

interface Ends {
  readonly stdin: AsyncIterable<Buffer | string>
  readonly stdout: NodeJS.WritableStream
}

/** A shell for the one at the keyboard, until it is left. */
export async function shellOverSerial(path: string, vm: string, { stdin, stdout }: Ends): Promise<Result<void>> {
  const port = await open(path, vm)
  if (!port.ok) return port
  port.value.write(`${clearLine}stty sane; PS1='${vm}# '\n`)
  const left = new Promise<void>((resolve) => {
    port.value.on('data', (bytes) => {
      const end = bytes.indexOf(leftMark)
      stdout.write(end < 0 ? bytes : bytes.subarray(0, end))
      if (end >= 0) resolve()
    })
    port.value.once('close', resolve)
  })
  void passOn(stdin, port.value)
  await left
  port.value.destroy()
  return ok()
}

async function passOn(from: AsyncIterable<Buffer | string>, port: Socket): Promise<void> {
  for await (const chunk of from) port.write(chunk)
}

/** One command, with what it prints and the exit code that it ends with. */
export async function runOverSerial(
  path: string,
  vm: string,
  command: readonly string[],
  stop: AbortSignal,
): Promise<Result<Answer>> {
  const line = framed(command)
  if (line.length > maxLineLength) return refused(`the command is too long for the serial line of ${vm}`)
  const port = await open(path, vm)
  if (!port.ok) return port
  const { promise, resolve } = Promise.withResolvers<Result<Answer>>()
  const silence = setTimeout(() => resolve(noShell(vm)), patienceMs)
  let said = Buffer.alloc(0)
  port.value.on('data', (bytes) => {
    said = Buffer.concat([said, bytes])
    if (said.includes(beginMark)) clearTimeout(silence)
    const answer = answerIn(said)
    if (answer) resolve(ok(answer))
  })
  port.value.once('close', () => resolve(noShell(vm)))
  // The shell is told, and is given the time to hear it: who comes next shall not find it busy.
  stop.addEventListener('abort', () => {
    port.value.write(interrupt)
    setTimeout(() => resolve(ok({ output: Buffer.alloc(0), exitCode: 130 })), interruptedWithinMs)
  })
  port.value.write(`${clearLine}${line}\n`)
  const answer = await promise
  clearTimeout(silence)
  port.value.destroy()
  return answer
}

interface Answer {
  readonly output: Buffer
  readonly exitCode: number
}

const beginMark = 'oooi-begin\n'
const endMark = '\noooi-end '

/** The marks are put together by the machine, so that the echo of this line is not taken for them. */
export function framed(command: readonly string[]): string {
  const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
  return `stty -echo -opost; printf '%s%s\\n' oooi- begin; ${quoted} </dev/null; printf '\\n%s%s %d\\n' oooi- end $?; stty sane`
}

/** Undefined as long as the command has not ended. */
export function answerIn(said: Buffer): Answer | undefined {
  const begin = said.indexOf(beginMark)
  const end = said.lastIndexOf(endMark)
  const code = /^(\d+)\n/.exec(said.subarray(end + endMark.length).toString('latin1'))?.[1]
  if (begin < 0 || end < 0 || code === undefined) return undefined
  return {
    output: said.subarray(begin + beginMark.length, Math.max(end, begin + beginMark.length)),
    exitCode: Number(code),
  }
}

function noShell(vm: string): Result<never> {
  return refused(`no shell answers on ${vm}: it is switched off, still boots, or another \`oooi lab shell\` is in it`)
}

function refused(message: string): Result<never> {
  return failed({ reason: 'LabOrderRefused', message })
}

function open(path: string, vm: string): Promise<Result<Socket>> {
  return new Promise((resolve) => {
    const port = connect(path)
    port.once('connect', () => resolve(ok(port)))
    port.on('error', () => resolve(noShell(vm)))
  })
}
