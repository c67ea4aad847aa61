/** ClientHellos for tests, sound ones and every kind of broken one. */
export interface HelloParts {
  readonly serverName?: string | Uint8Array
  /** Extensions before and after server_name: type and content. */
  readonly before?: readonly Extension[]
  readonly after?: readonly Extension[]
  readonly withoutExtensions?: boolean
}

export type Extension = readonly [type: number, content: Uint8Array]

/** The handshake message: header and body. */
export function helloMessage(parts: HelloParts = {}): Uint8Array {
  const named = parts.serverName === undefined ? [] : [serverNameExtension(parts.serverName)]
  const extensions = [...(parts.before ?? []), ...named, ...(parts.after ?? [])].map(([type, content]) =>
    join(uint16(type), vector16(content)),
  )
  const body = join(
    Uint8Array.of(3, 3),
    new Uint8Array(32).fill(7),
    Uint8Array.of(32),
    new Uint8Array(32).fill(9),
    vector16(Uint8Array.of(0x13, 0x01, 0x13, 0x02, 0xc0, 0x2b)),
    Uint8Array.of(1, 0),
    ...(parts.withoutExtensions ? [] : [vector16(join(...extensions))]),
  )
  return message(1, body)
}

export function message(type: number, body: Uint8Array): Uint8Array {
  return join(Uint8Array.of(type, body.length >> 16), uint16(body.length & 0xffff), body)
}

export function serverNameExtension(name: string | Uint8Array): Extension {
  return [0, vector16(join(Uint8Array.of(0), vector16(bytesOf(name))))]
}

/** The message in TLS records: of these lengths, the last one repeated until nothing is left. */
export function records(content: Uint8Array, lengths: readonly number[] = [16_384]): Uint8Array {
  const pieces: Uint8Array[] = []
  let index = 0
  for (let start = 0; start < content.length; index += 1) {
    const length = lengths[Math.min(index, lengths.length - 1)] ?? content.length
    const payload = content.subarray(start, start + length)
    pieces.push(Uint8Array.of(22, 3, 1), vector16(payload))
    start += length
  }
  return join(...pieces)
}

export function hello(serverName?: string): Uint8Array {
  return records(helloMessage(serverName === undefined ? {} : { serverName }))
}

export function padding(length: number): Extension {
  return [21, new Uint8Array(length)]
}

export function bytesOf(text: string | Uint8Array): Uint8Array {
  return typeof text === 'string' ? Buffer.from(text, 'latin1') : text
}

export function vector16(content: Uint8Array): Uint8Array {
  return join(uint16(content.length), content)
}

export function uint16(value: number): Uint8Array {
  return Uint8Array.of(value >> 8, value & 255)
}

export function join(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts))
}
