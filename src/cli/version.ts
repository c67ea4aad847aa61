import { versions } from 'node:process'
import { Command } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { outputOption } from './options.ts'
import type { Terminal } from './terminal.ts'

export function versionCommand(terminal: Terminal): Command {
  return new Command('version')
    .description('print the version')
    .addOption(outputOption())
    .action((options: { output: string }) => {
      const version = { version: packageJson.version, node: versions.node }
      const text =
        options.output === 'json' ? JSON.stringify(version) : `oooi ${version.version} (node ${version.node})`
      terminal.stdout.write(`${text}\n`)
    })
}
