/** Six octets, separated by `:` or `-`; the one spelling inside oooi is lower case with colons. */
export function parseMac(text: string): string | undefined {
  if (!/^[0-9a-f]{2}([:-])[0-9a-f]{2}(\1[0-9a-f]{2}){4}$/i.test(text)) return undefined
  return text.toLowerCase().replaceAll('-', ':')
}
