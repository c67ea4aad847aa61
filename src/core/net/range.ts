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

export function rangesOverlap(one: AddressRange, other: AddressRange): boolean {
  return one.first <= other.last && other.first <= one.last
}

/** What is left of a range without these, in order. */
export function withoutRanges(range: AddressRange, holes: readonly AddressRange[]): AddressRange[] {
  return holes.reduce<AddressRange[]>(
    (left, hole) =>
      left.flatMap((part) =>
        [
          { first: part.first, last: Math.min(part.last, hole.first - 1) },
          { first: Math.max(part.first, hole.last + 1), last: part.last },
        ].filter(({ first, last }) => first <= last),
      ),
    [range],
  )
}
