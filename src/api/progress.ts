import { z } from 'zod'
import * as field from './fields.ts'

/** How far the machines of the VLAN came, as one engine saw them. */
export function clientProgress(thing: string) {
  return z
    .array(
      z.strictObject({
        address: field.ip.describe('The client.'),
        reached: z.array(z.string().max(253)).max(16).optional().describe(`${thing} it got.`),
        failing: z
          .array(
            z.strictObject({
              name: z.string().max(253).describe(`${thing} it asked for.`),
              error: z.string().max(1024).optional().describe('Why it did not get that.'),
            }),
          )
          .max(16)
          .optional()
          .describe('What it asked for and never got.'),
        changed: field.timestamp.optional().describe('When one of these lists last changed.'),
      }),
    )
    .max(1024)
    .optional()
    .describe('How far each machine of the VLAN came here; whoever is silent for half an hour is forgotten.')
}
