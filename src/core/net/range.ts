import { formatIpv4, parseIpv4 } from './ipv4.ts'

/** Addresses from `first` to `last`, both included. */
export interface AddressRange {
  readonly first: number
  readonly last: number
}

/** `192.168.100.150` or `192.168.100.160-192.168.100.170`. */
export function parseRange(text: string): AddressRange | undefined {
  const [firstText = '', lastText = firstText, ...rest] = text.split('-').map((part) => part.trim())
  const first = parseIpv4(firstText)
  const last = parseIpv4(lastText)
  if (first === undefined || last === undefined || rest.length > 0 || first > last) return undefined
  return { first, last }
}

export function formatRange(range: AddressRange): string {
  return range.first === range.last ? formatIpv4(range.first) : `${formatIpv4(range.first)}-${formatIpv4(range.last)}`
}

export function rangeContains(range: AddressRange, address: number): boolean {
  return address >= range.first && address <= range.last
}

export function rangeSize(range: AddressRange): number {
  return range.last - range.first + 1
}
