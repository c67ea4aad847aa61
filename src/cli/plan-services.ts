import { Command, InvalidArgumentError, Option } from 'commander'
import { stringify } from 'yaml'
import { type PublishingVariant, publishingVariants, recommendedServices } from '../core/discover/publishing.ts'
import { parseDnsName } from '../core/net/name.ts'
import { outputOption } from './options.ts'
import type { Terminal } from './terminal.ts'

interface PlanOptions {
  readonly name: string
  readonly baseDomain: string
  readonly publish: PublishingVariant
  readonly output: string
}

const more = `
spec.services of a HostedCluster cannot be changed once it is made, and what HyperShift chooses by itself gives the API
an address that machines on an isolated VLAN do not reach.

  loadbalancer  API by a load balancer of the management cluster on 6443, the rest as Routes on 443 (recommended)
  route         everything on 443, by a router of HyperShift's own, which needs a load balancer too
  nodeport      no load balancer at all: one name, a port of the nodes for each service

Examples:
  oooi plan-services --name foo --base-domain example.com
  oooi plan-services --name foo --base-domain example.com --publish nodeport -o json`

export function planServicesCommand(terminal: Terminal): Command {
  return new Command('plan-services')
    .description('print the spec.services block with which a HostedCluster works on a VLAN')
    .requiredOption('--name <name>', 'of the HostedCluster; its domain is name.base-domain', parseName)
    .requiredOption('--base-domain <domain>', 'spec.dns.baseDomain of the HostedCluster', parseName)
    .addOption(
      new Option('--publish <way>', 'how services are published')
        .choices(publishingVariants)
        .default('loadbalancer' satisfies PublishingVariant),
    )
    .addOption(outputOption())
    .addHelpText('after', more)
    .action((options: PlanOptions) => {
      const services = recommendedServices(`${options.name}.${options.baseDomain}`, options.publish)
      const block = { spec: { dns: { baseDomain: options.baseDomain }, services } }
      terminal.stdout.write(
        options.output === 'json' ? `${JSON.stringify(block)}\n` : stringify(block, { lineWidth: 0 }),
      )
    })
}

function parseName(text: string): string {
  const name = parseDnsName(text)
  if (name === undefined) throw new InvalidArgumentError('It must be a DNS name.')
  return name
}
