import { runProgram } from './cli/program.ts'
import type { Terminal } from './cli/terminal.ts'
import { inheritedDescriptors } from './runtime/host/inherited-descriptors.ts'
import { unblockBy } from './runtime/host/unblock.ts'

/** The only place that touches `process`: everything below it gets a Terminal. */

const inherited = inheritedDescriptors(process.env, process.pid)
// They are for this process; to a program that it starts they would be a lie.
for (const name of ['LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES']) delete process.env[name]

const stop = new AbortController()
const terminal: Terminal = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  interactive: process.stdout.isTTY === true,
  userId: process.getuid?.() ?? -1,
  inherited,
  unblock: unblockBy(process),
  stop: stop.signal,
  exitCode: 0,
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // The second signal means it: do not wait for anything that drains.
    if (stop.signal.aborted) process.exit(130)
    stop.abort()
  })
}

// A reader that goes away (`oooi render | head`) ends the program quietly, as every Unix tool does.
process.stdout.on('error', () => process.exit(0))
// A reader of the log that goes away ends nothing: machines are still served.
process.stderr.on('error', () => undefined)

await runProgram(process.argv.slice(2), terminal)
process.exitCode = terminal.exitCode
