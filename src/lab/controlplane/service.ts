import { z } from 'zod'

/** One server of the lab, as the process that runs it is told. */
export const serviceSchema = z.discriminatedUnion('kind', [
  z.object({
    /** HTTPS: `paths` says what it answers where; anything else is 404. */
    kind: z.literal('https'),
    name: z.string(),
    address: z.string(),
    port: z.int(),
    certificate: z.string(),
    key: z.string(),
    paths: z.record(z.string(), z.json()),
  }),
  z.object({
    /** TLS that answers each line `ping x` with `pong x`, for as long as the client stays. */
    kind: z.literal('stream'),
    name: z.string(),
    address: z.string(),
    port: z.int(),
    certificate: z.string(),
    key: z.string(),
  }),
  z.object({
    /** DNS over UDP with these A records; any other name does not exist. */
    kind: z.literal('dns'),
    name: z.string(),
    address: z.string(),
    port: z.int(),
    records: z.record(z.string(), z.string()),
  }),
  z.object({
    /** The files of a directory, for machines that boot from the network; says on standard output who asked for what. */
    kind: z.enum(['tftp', 'http']),
    name: z.string(),
    address: z.string(),
    port: z.int(),
    directory: z.string(),
  }),
])

export type Service = z.infer<typeof serviceSchema>
export type HttpsService = Extract<Service, { kind: 'https' }>
export type StreamService = Extract<Service, { kind: 'stream' }>
export type DnsService = Extract<Service, { kind: 'dns' }>
export type FileService = Extract<Service, { directory: string }>

/** A server that listens; `close` also ends its connections, as the end of its process would. */
export interface Listening {
  close(): void
}

/** What the process obeys on standard input: the service is there or not from then on. Answered with the same line. */
export type ServiceOrder = `${'open' | 'close'} ${string}`

/** The line on standard output that says all servers listen. */
export const servingLine = 'serving'
