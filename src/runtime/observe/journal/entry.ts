import { priorityOf } from './priority.ts'

/** A line of ours, taken apart for the journal. */
interface Field {
  readonly name: string
  readonly value: string
}

/** The journal takes 1024 per entry; nobody looks for the hundredth problem of a line by its field. */
const mostFields = 200
/** In the text for people; the field beside it has the whole value. */
const mostReadableChars = 300
const mostNameChars = 64
const newline = 0x0a

/**
 * A JSON line of the log as an entry of the journal, in its native protocol: a text that can be read as it is, and every
 * field under a name of its own, `<PREFIX>_REASON`, so that `journalctl OOOI_INFRA=c1 OOOI_REASON=PoolExhausted` finds it.
 * What stands in an inner object has the inner name, and a list gives one value for each of its elements.
 */
export function journalEntry(line: string, identifier: string): Buffer {
  const record = parseRecord(line)
  const { level, time: _, msg, ...rest } = record
  const fields = Object.entries(rest).flatMap(([key, value]) => flatten(key, value, 0))
  const own = fields.slice(0, mostFields).map(({ name, value }) => ({ name: fieldName(identifier, name), value }))
  return Buffer.concat(
    [
      { name: 'MESSAGE', value: readable(typeof msg === 'string' ? msg : '', fields) },
      { name: 'PRIORITY', value: String(priorityOf(level)) },
      { name: 'SYSLOG_IDENTIFIER', value: identifier },
      ...own,
    ].map(encode),
  )
}

function parseRecord(line: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(line)
    if (isRecord(parsed)) return parsed
  } catch {
    // Not one of ours: it is all message.
  }
  return { msg: line.trimEnd() }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function flatten(name: string, value: unknown, depth: number): Field[] {
  if (value === null || value === undefined) return []
  if (typeof value !== 'object') return [{ name, value: String(value) }]
  if (depth > 4) return [{ name, value: JSON.stringify(value) }]
  if (Array.isArray(value)) return value.flatMap((element) => flatten(name, element, depth + 1))
  return Object.entries(value).flatMap(([key, inner]) => flatten(key, inner, depth + 1))
}

function readable(message: string, fields: readonly Field[]): string {
  const details = fields.slice(0, mostFields).map(({ name, value }) => `${name}=${quoted(value)}`)
  return [message, ...details].filter((part) => part !== '').join(' ') || '-'
}

function quoted(value: string): string {
  const short = value.length > mostReadableChars ? `${value.slice(0, mostReadableChars)}…` : value
  return /^[^\s"=]+$/.test(short) ? short : JSON.stringify(short)
}

/** Capitals, digits and underscores, and not too many of them: `leaseSeconds` is `OOOI_LEASE_SECONDS`. */
function fieldName(identifier: string, name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2')
  return `${identifier}_${words}`
    .replace(/[^A-Za-z0-9]/g, '_')
    .toUpperCase()
    .slice(0, mostNameChars)
}

/** A value with a line break is preceded by its length, all others by an equals sign. */
function encode({ name, value }: Field): Buffer {
  const bytes = Buffer.from(value)
  if (!bytes.includes(newline)) return Buffer.concat([Buffer.from(`${name}=`), bytes, Buffer.of(newline)])
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(bytes.length))
  return Buffer.concat([Buffer.from(`${name}\n`), length, bytes, Buffer.of(newline)])
}
