import { z } from 'zod'
import * as field from './fields.ts'
import { componentName, resourceWithoutStatus } from './meta.ts'

/** One byte of a client identifier is two characters; `id/` comes before it where it stands for a MAC. */
const maxIdentifierLength = 2 * 255

const client = field.text({
  maxLength: 'id/'.length + maxIdentifierLength,
  expected:
    'a MAC address such as 02:00:00:00:00:01, type/ before one of other hardware than Ethernet, or id/ and the client identifier in hexadecimal',
  pattern: '^([0-9a-f]{2}:){5}[0-9a-f]{2}$|^[0-9]{1,3}/([0-9a-f]{2}:){0,15}[0-9a-f]{2}$|^id/([0-9a-f]{2})+$',
})

const clientId = field.text({
  maxLength: maxIdentifierLength,
  expected: 'bytes in hexadecimal',
  pattern: '^([0-9a-f]{2})+$',
})

const spec = z
  .strictObject({
    server: componentName.describe('The DHCPServer that lent the address.'),
    address: field.ipv4.describe('The address.'),
    mac: client.describe(
      'Hardware address of the client; its type before it if that is not Ethernet; for a client without one, id/ and its client identifier.',
    ),
    clientId: clientId.optional().describe('What the client sent as its identifier (option 61), in hexadecimal.'),
    hostname: field.label.optional().describe('The name the client was given.'),
    vmName: field.label.optional().describe('The virtual machine that the client is.'),
    cluster: z.string().max(253).optional().describe('The hosted cluster it belongs to.'),
    state: z
      .enum(['Active', 'Expired', 'Released', 'Declined'])
      .describe('Active is in force; Expired and Released are over; Declined is in use by somebody else.'),
    start: field.timestamp.describe('When it was lent, or last renewed.'),
    expires: field.timestamp.describe('When it ends or ended; for Declined, when the address may be tried again.'),
    sequence: field.generation.describe('Grows with each change: of two stories about an address the higher is true.'),
  })
  .describe('One address that a DHCPServer lent. Written by the server; to be read only.')

/** Its name is `<dhcpserver>-<address with dashes>`. */
export const dhcpLeaseSchema = resourceWithoutStatus({ kind: 'DHCPLease', name: field.objectName, spec })

export type DHCPLease = z.output<typeof dhcpLeaseSchema>
export type DHCPLeaseInput = z.input<typeof dhcpLeaseSchema>
