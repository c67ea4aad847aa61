import type { Command } from 'commander'
import { programOption } from './options.ts'

/** What `oooi dns` has beyond the other engines. */
export interface DnsOptions {
  readonly coredns?: string
}

export function addDnsOptions(command: Command): Command {
  return command.addOption(
    programOption('--coredns <program>', 'with engine coredns: run this CoreDNS, and keep it running'),
  )
}

export function programOf({ coredns }: DnsOptions): { readonly program: string } | undefined {
  return coredns === undefined ? undefined : { program: coredns }
}
