import { z } from 'zod'
import * as field from './fields.ts'

/** The other components of an Infra: each looks whether the others' addresses are really theirs. */
export const neighbours = z
  .array(
    z.strictObject({
      name: z.string().max(253).describe('The component.'),
      address: field.ipv4.describe('Its address on the VLAN.'),
      mac: field.mac.describe('Hardware address of its pod there.'),
    }),
  )
  .max(8)
  .describe('Components of the same Infra; whether somebody else answers at their addresses is looked at from here.')
