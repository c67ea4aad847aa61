import { parseArgs } from 'node:util'
import type { Pace } from './harness.ts'

/** What is to be measured, and how. */
interface Wish {
  readonly suites: readonly string[]
  readonly pace: Pace
  /** Only to see that it works. */
  readonly quick: boolean
  readonly help: boolean
}

const fullPace: Pace = { rounds: 7, seconds: 2.5 }
const quickPace: Pace = { rounds: 2, seconds: 1 }

/** Reads the command line; throws with a sentence that says what is wrong with it. */
export function readArguments(args: readonly string[], known: readonly string[]): Wish {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const unknown = positionals.filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new Error(`there is no suite ${unknown.join(', ')}; there are ${known.join(', ')}`)
  const usual = values.quick ? quickPace : fullPace
  const rounds = Number(values.rounds ?? usual.rounds)
  const seconds = Number(values.seconds ?? usual.seconds)
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`--rounds ${values.rounds} is no whole number from 1`)
  if (!(seconds > 0 && seconds <= 60)) throw new Error(`--seconds ${values.seconds} is no number above 0 and up to 60`)
  return {
    suites: positionals.length === 0 ? known : known.filter((name) => positionals.includes(name)),
    pace: { rounds, seconds },
    quick: values.quick,
    help: values.help,
  }
}
