/** Relay agent information (option 82, RFC 3046): echoed whole, and three sub-options that a server heeds. */
export interface RelayAgent {
  readonly bytes: Buffer
  /** RFC 3527: the network the client is on, when it is not the relay's own. */
  readonly linkSelection: number | undefined
  /** RFC 5107: the relay wants to be the server in the client's eyes, and passes everything on. */
  readonly serverIdentifierOverride: number | undefined
  /** RFC 8357: the relay listens on the port it sent from, not on 67. */
  readonly usesSourcePort: boolean
}

const linkSelection = 5
const serverIdentifierOverride = 11
const sourcePort = 19

export function readRelayAgent(bytes: Buffer): RelayAgent {
  return {
    bytes,
    linkSelection: address(bytes, linkSelection),
    serverIdentifierOverride: address(bytes, serverIdentifierOverride),
    usesSourcePort: subOption(bytes, sourcePort) !== undefined,
  }
}

function address(bytes: Buffer, code: number): number | undefined {
  const value = subOption(bytes, code)
  return value?.length === 4 ? value.readUInt32BE(0) : undefined
}

function subOption(bytes: Buffer, wantedCode: number): Buffer | undefined {
  let at = 0
  while (at + 2 <= bytes.length) {
    const start = at + 2
    const end = start + bytes.readUInt8(at + 1)
    if (end > bytes.length) return undefined
    if (bytes[at] === wantedCode) return bytes.subarray(start, end)
    at = end
  }
  return undefined
}
