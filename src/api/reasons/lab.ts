import type { ReasonTexts } from './reason.ts'

/** About the lab. */
export const labReasons = {
  LabNotPossible: {
    meaning: 'The lab cannot run on this machine as it is.',
    remedy: 'Do what the message says; `make setup` installs what is missing on Debian.',
    blame: 'host',
  },
  LabNotRunning: {
    meaning: 'The command works on a running lab, and it is not clear which, or there is none.',
    remedy: 'Start one with `oooi lab` in another terminal, or name one with --lab.',
    blame: 'host',
  },
  LabOrderRefused: {
    meaning: 'The running lab does not do what it was told.',
    remedy: 'The message says why; `oooi lab look` shows what the lab has and what is broken in it.',
    blame: 'runtime',
  },
} as const satisfies ReasonTexts
