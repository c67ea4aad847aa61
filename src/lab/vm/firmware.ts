/** What the firmware of a machine prints, before there is a kernel: SeaBIOS, and iPXE in the network card. */

/** A line as a person sees it: without the sequences that move the cursor, and with what was erased gone. */
export function plainLine(raw: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what a terminal is told with.
  const visible = raw.replace(/\x1b(?:\[[0-9;?]*[ -/]*[@-~]|[@-Z\\-_a-z])/g, '').replaceAll('\r', '')
  const characters: string[] = []
  for (const character of visible) {
    if (character === '\b') characters.pop()
    else characters.push(character)
  }
  return characters.join('')
}

/** The last thing that SeaBIOS says when nothing could be booted. */
const gaveUp = /^No bootable device/
/** iPXE puts the address of an explanation behind each of its errors. */
const explained = /\(https?:\/\/ipxe\.org\/[0-9a-f]+\)/
const wrappedAt = 80

/** Why nothing was booted, in the firmware's words, once it has given up; undefined before. */
export function firmwareFailure(lines: readonly string[]): string | undefined {
  const plain = unwrapped(lines.map(plainLine))
  if (!plain.some((line) => gaveUp.test(line))) return undefined
  return plain.findLast((line) => explained.test(line)) ?? 'the firmware found nothing to boot'
}

/** What iPXE got from DHCP, and what it fetches: the lines that tell how far it came. */
const progress = /^(net\d: \d+\.|Filename: |(tftp|http):\/\/)/

/** What of a raw line is worth showing while the machine boots. */
export function firmwareProgress(raw: string): string | undefined {
  const line = plainLine(raw)
  return progress.test(line) ? `iPXE  ${line.trimEnd()}` : undefined
}

/** iPXE breaks lines at the width of an old screen. */
function unwrapped(lines: readonly string[]): string[] {
  const whole: string[] = []
  let previousIsFull = false
  for (const line of lines) {
    if (previousIsFull) whole.push(`${whole.pop() ?? ''}${line}`)
    else whole.push(line)
    previousIsFull = line.length >= wrappedAt
  }
  return whole
}
