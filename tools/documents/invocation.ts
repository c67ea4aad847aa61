import { oooi } from '../../src/cli/testing.ts'

/** A use of `oooi` in a command line: the words before the first option, and the long options. */
interface Invocation {
  readonly words: readonly string[]
  readonly options: readonly string[]
}

const start = /(?:^|\$ |sudo |\| |&& |\$\(|-- )(?:\S*\/)?oooi ((?:[^|;&>)]|\|(?=[a-z]))*)/g

/** What is asked of `oooi` in this line that its own help does not know. */
export async function unknownIn(line: string): Promise<string[]> {
  const faults: string[] = []
  for (const invocation of invocationsIn(line)) faults.push(...(await unknownOf(invocation)))
  return faults
}

async function unknownOf({ words, options }: Invocation): Promise<string[]> {
  const [command = '', order = ''] = words
  if (command === '' || command === 'help') return []
  if (!hasCommand(await helpOf(), command)) return [`oooi ${command}`]
  const general = await helpOf(command)
  const text = hasCommand(general, order) ? general + (await helpOf(command, order)) : general
  const isKnown = (option: string) => option === '--help' || new RegExp(`${option}(?![a-z-])`).test(text)
  return options.filter((option) => !isKnown(option)).map((option) => `oooi ${words.join(' ')} ${option}`)
}

const helps = new Map<string, Promise<string>>()

function helpOf(...words: string[]): Promise<string> {
  const key = words.join(' ')
  const help = helps.get(key) ?? oooi(...words, '--help').then(({ stdout }) => stdout)
  helps.set(key, help)
  return help
}

function hasCommand(help: string, word: string): boolean {
  const [, commands = ''] = help.split('Commands:')
  return word !== '' && new RegExp(`^  ${word}\\b`, 'm').test(commands)
}

/** `oooi dhcp|dns --config x` is two of them. */
function invocationsIn(line: string): Invocation[] {
  return [...line.replace(/ #.*$/, '').matchAll(start)].flatMap(([, rest = '']) => {
    const parts = rest.split(/\s+/).filter(Boolean)
    const firstOption = parts.findIndex((part) => part.startsWith('-'))
    const words = (firstOption < 0 ? parts : parts.slice(0, firstOption)).filter((word) => /^[a-z|-]+$/.test(word))
    const options = parts.filter((part) => part.startsWith('--')).map((part) => part.replace(/[^a-z-].*$/, ''))
    return alternatives(words).map((choice) => ({ words: choice, options }))
  })
}

function alternatives([first, ...rest]: readonly string[]): string[][] {
  if (first === undefined) return [[]]
  return first.split('|').flatMap((word) => alternatives(rest).map((others) => [word, ...others]))
}
