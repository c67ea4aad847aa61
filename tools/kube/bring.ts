import { mayNotSkip } from './locate.ts'

/**
 * Brings what some tests need and prints where it is. If that cannot be done, says why and what becomes of it; only continuous
 * integration fails then.
 */
export async function bring(name: string, find: () => Promise<string>, otherwise: string): Promise<void> {
  try {
    process.stdout.write(`${await find()}\n`)
  } catch (error) {
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n${otherwise}\n`)
    if (mayNotSkip(process.env)) process.exitCode = 1
  }
}
