import { execFile } from 'node:child_process'

/** Administration tools live in sbin, which an ordinary user's PATH does not have. */
export const toolPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** A program that was run to its end and did not succeed, in its own words. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
}

export interface RunOptions {
  readonly input?: string
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  /** It makes something that is recorded, and must not go on making it when we are dead and somebody cleans up after us. */
  readonly diesWithUs?: true
}

/** What stands before a program that the kernel is to end when we end, however we do. */
export const diesWithUs = ['setpriv', '--pdeathsig', 'KILL', '--'] as const

/** Runs a program to its end and gives its standard output. */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const [program = command, ...words] = [...(options.diesWithUs ? diesWithUs : []), command, ...args]
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      words,
      {
        encoding: 'utf8',
        maxBuffer: 64 * 1024 * 1024,
        env: { PATH: toolPath, LC_ALL: 'C', ...options.env },
        ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      },
      (error, stdout, stderr) => {
        if (!error) return resolve(stdout)
        const said = stderr.trim() || error.message
        reject(new CommandFailed(`${[command, ...args].join(' ')}: ${said}`))
      },
    )
    // A program that fails at once closes its input; its exit status says why better than the broken pipe.
    child.stdin?.on('error', () => {})
    child.stdin?.end(options.input ?? '')
  })
}

/** For commands that refuse to remove what is not there: whether it is gone is looked at, not inferred from their words. */
export async function tolerate(command: Promise<string>): Promise<string> {
  return command.catch((error: unknown) => {
    if (error instanceof CommandFailed) return ''
    throw error
  })
}
