import type { ReasonTexts } from './reason.ts'

/** About the manifest. */
export const manifestReasons = {
  FileUnreadable: {
    meaning: 'The manifest file cannot be read.',
    remedy: 'Check that the path exists and that the user running oooi may read it.',
    blame: 'input',
  },
  InvalidYaml: {
    meaning: 'The file is not well-formed YAML or JSON.',
    remedy: 'Mend the line the message names.',
    blame: 'input',
  },
  WrongKind: {
    meaning: 'The file holds no object of the kind this command wants, or more than one.',
    remedy: 'Give a file with exactly one object of the kind the message names.',
    blame: 'input',
  },
  InvalidField: {
    meaning: 'A field has a value that the kind does not allow.',
    remedy: 'Change the field to what the message expects.',
    blame: 'input',
  },
  UnknownField: {
    meaning: 'The kind has no such field.',
    remedy: 'Remove the field or use the name the message suggests.',
    blame: 'input',
  },
  NotYetSupported: {
    meaning: 'The field is part of the API, but no engine does this yet.',
    remedy: 'Leave the field out; the README lists what is not there yet.',
    blame: 'input',
  },
} as const satisfies ReasonTexts
