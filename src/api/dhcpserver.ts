import { z } from 'zod'
import * as field from './fields.ts'
import { componentName, conditions, observedGeneration, resource, servingGeneration } from './meta.ts'
import { neighbours } from './neighbours.ts'
import { networkAttachmentName, networkAttachmentNamespace, serverIP, serverIPs } from './network.ts'

const reservation = z
  .strictObject({
    mac: field.mac.optional().describe('The client with this hardware address.'),
    vmName: field.label.optional().describe('The client that is the virtual machine of this name.'),
    address: field.ipv4.optional().describe('The address this client always gets, and nobody else.'),
    hostname: field.label.optional().describe('The name this client is given; default: vmName.'),
  })
  .describe('What one client always gets. Named by mac or vmName.')

const route = z.strictObject({
  to: field.cidr.describe('The network behind the router.'),
  via: field.ipv4.describe('The router, an address on the VLAN.'),
})

const clientOptions = z
  .strictObject({
    mtu: field.wholeNumber(576, 65_535).optional().describe('Largest packet of the link (option 26).'),
    domainName: field.dnsName.optional().describe('Domain of the clients (option 15).'),
    searchDomains: z.array(field.dnsName).max(32).optional().describe('Domains tried for short names (option 119).'),
    ntpServers: z.array(field.ipv4).max(8).optional().describe('Time servers (option 42).'),
    routes: z.array(route).max(32).optional().describe('Static routes (option 121).'),
    boot: z
      .strictObject({
        server: field.ipv4.optional().describe('Where the boot file is fetched from (option 66).'),
        file: z.string().min(1).max(255).describe('The boot file (option 67).'),
      })
      .optional()
      .describe('Network boot.'),
  })
  .describe('What clients are told besides their address, by name.')

const rawOption = z.strictObject({
  code: field.wholeNumber(1, 254).describe('Number of the DHCP option.'),
  value: z
    .string()
    .max(1024)
    .describe(
      'Its value, as the option wants it: addresses separated by commas, a number, text, or bytes such as 0x01a2.',
    ),
})

export const clientPolicy = z
  .enum(['Any', 'Known'])
  .describe('Any serves every client; Known only virtual machines of the bound clusters and reservations.')

/** Fields that an Infra hands to its DHCPServer as they are. */
export const dhcpTuning = {
  authoritative: z
    .boolean()
    .default(true)
    .describe('This is the only DHCP server of the VLAN, so it refuses addresses of other networks at once.'),
  reservations: z.array(reservation).max(4096).optional().describe('Clients that always get the same address or name.'),
  exclusions: z
    .array(field.addressRange)
    .max(256)
    .optional()
    .describe('Addresses inside the range that are never given out: single ones or first-last.'),
  probe: z
    .strictObject({
      enabled: z.boolean().default(true).describe('Ask before offering an address whether somebody uses it.'),
      timeout: field.duration({ min: '10ms', max: '10s' }).default('500ms').describe('How long to wait for an answer.'),
    })
    .optional()
    .describe('Check for addresses in use that no lease knows of.'),
  clientOptions: clientOptions.optional(),
  options: z
    .array(rawOption)
    .max(64)
    .optional()
    .describe('Further options by number. They win over networkConfig; one code may not be here and in clientOptions.'),
  leaseStorage: z
    .enum(['Ephemeral', 'PersistentVolume'])
    .default('Ephemeral')
    .describe('Where the lease journal lives. Ephemeral survives restarts of the pod through the DHCPLease objects.'),
  persistentVolume: z
    .strictObject({
      size: field.quantity.default('25Mi').describe('Size of the volume.'),
      storageClassName: z.string().max(253).default('').describe('Storage class; empty for the default one.'),
      keep: z.boolean().default(true).describe('Keep the volume when the DHCPServer is deleted.'),
    })
    .optional()
    .describe('The volume of leaseStorage PersistentVolume.'),
}

const spec = z
  .strictObject({
    networkConfig: z
      .strictObject({
        cidr: field.cidr.describe('The VLAN.'),
        gateway: field.ipv4.optional().describe('Router of the VLAN (option 3); none: no option 3.'),
        serverIP: serverIP.optional(),
        serverIPs: serverIPs.optional(),
        dnsServers: z.array(field.ipv4).max(16).optional().describe('Resolvers that clients are given (option 6).'),
        networkAttachmentName: networkAttachmentName.optional(),
        networkAttachmentNamespace: networkAttachmentNamespace.optional(),
      })
      .describe('The network that is served, and the place of the server on it.'),
    leaseConfig: z
      .strictObject({
        rangeStart: field.ipv4.describe('First address given out.'),
        rangeEnd: field.ipv4.describe('Last address given out.'),
        leaseTime: field.leaseTime.default('1h').describe('How long an address is lent.'),
      })
      .describe('Which addresses are lent, and for how long.'),
    clientPolicy: clientPolicy.default('Any'),
    ...dhcpTuning,
    image: field.image.optional().describe('Container image of the server; default: that of the operator.'),
  })
  .describe('A DHCP server for one VLAN.')

const status = z
  .strictObject({
    activeLeases: field.count.optional().describe('Leases in force.'),
    totalLeases: field.count.optional().describe('Size of the pool: addresses that can be lent.'),
    poolUsage: field.wholeNumber(0, 100).optional().describe('How much of the pool is lent, in percent.'),
    leases: z
      .strictObject({
        active: field.count.optional().describe('In force.'),
        offered: field.count.optional().describe('Offered, not yet taken.'),
        expired: field.count.optional().describe('Run out, remembered for their client.'),
        declined: field.count.optional().describe('Found in use by somebody else, set aside.'),
      })
      .optional()
      .describe('Leases by state.'),
    refusals: z
      .array(
        z.strictObject({
          mac: field.mac.describe('Who was refused.'),
          reason: z.string().max(1024).describe('Why.'),
          count: field.count.describe('How often.'),
          last: field.timestamp.describe('When for the last time.'),
        }),
      )
      .max(10)
      .optional()
      .describe('Clients that got no address, newest first.'),
    resolved: z
      .strictObject({
        clients: z
          .array(
            z.strictObject({
              mac: field.mac.describe('Hardware address of a virtual machine.'),
              name: field.label.optional().describe('Name of the virtual machine.'),
              cluster: z.string().max(253).optional().describe('The hosted cluster it belongs to.'),
            }),
          )
          .max(4096)
          .optional()
          .describe('Known clients.'),
        addressesInUse: z.array(field.ipv4).max(4096).optional().describe('Addresses somebody has without a lease.'),
        neighbours: neighbours.optional(),
      })
      .optional()
      .describe('What the operator found out elsewhere for this server.'),
    servingGeneration: servingGeneration.optional(),
    conditions: conditions.optional(),
    observedGeneration: observedGeneration.optional(),
  })
  .describe('What the server and the operator observed.')

export const dhcpServerSchema = resource({ kind: 'DHCPServer', name: componentName, spec, status })

/** A DHCPServer with all defaults applied. */
export type DHCPServer = z.output<typeof dhcpServerSchema>
/** A DHCPServer as a person writes it. */
export type DHCPServerInput = z.input<typeof dhcpServerSchema>
export type DHCPReservation = z.output<typeof reservation>
