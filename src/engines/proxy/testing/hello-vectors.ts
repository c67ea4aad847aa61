import type { HelloVerdict } from '../hello/client-hello.ts'
import {
  bytesOf,
  type Extension,
  hello,
  helloMessage,
  join,
  message,
  padding,
  records,
  serverNameExtension,
  uint16,
  vector16,
} from './hello-builder.ts'

export const name = 'api.c1.example.com'
export const named: HelloVerdict = { kind: 'named', serverName: name }
const nameless: HelloVerdict = { kind: 'nameless' }
const malformed: HelloVerdict = { kind: 'fault', fault: 'malformed' }
const notTls: HelloVerdict = { kind: 'fault', fault: 'not_tls' }
export const tooLarge: HelloVerdict = { kind: 'fault', fault: 'too_large' }

const grease: Extension = [0x1a1a, new Uint8Array(0)]
const keyShare: Extension = [51, new Uint8Array(1258)]
const encryptedHello: Extension = [0xfe0d, new Uint8Array(200)]

export const sound = helloMessage({ serverName: name })
export const large = helloMessage({ serverName: name, before: [padding(15_000)] })

/** What a client may send first, and what it must be taken for. */
export const vectors: readonly (readonly [string, Uint8Array, HelloVerdict])[] = [
  ['a plain hello', records(sound), named],
  ['GREASE first', records(helloMessage({ serverName: name, before: [grease] })), named],
  ['the name after 2 KB', records(helloMessage({ serverName: name, before: [padding(2048)] })), named],
  ['a post-quantum key share', records(helloMessage({ serverName: name, before: [keyShare, padding(300)] })), named],
  [
    'encrypted client hello: the outer name',
    records(helloMessage({ serverName: name, after: [encryptedHello] })),
    named,
  ],
  ['records of 64 bytes', records(sound, [64]), named],
  ['records cut inside the name', records(sound, [sound.indexOf('p'.charCodeAt(0)) + 3, 16_384]), named],
  ['a record of 1 byte, then 3', records(sound, [1, 3, 16_384]), named],
  ['15 KB', records(large), named],
  ['15 KB in records of 64 bytes', records(large, [64]), named],
  ['20 KB in two records', records(helloMessage({ serverName: name, before: [padding(20_000)] })), tooLarge],
  ['15 KB in records of one byte', records(large, [1]), tooLarge],
  ['upper case', hello('API.C1.Example.COM'), named],
  ['a trailing dot', hello(`${name}.`), named],
  ['underscores', hello('_sip._tcp.example.com'), { kind: 'named', serverName: '_sip._tcp.example.com' }],
  ['no name', hello(), nameless],
  ['no extensions', records(helloMessage({ withoutExtensions: true })), nameless],
  ['an empty name', hello(''), nameless],
  ['an IPv4 address', hello('192.168.100.3'), nameless],
  ['an IPv4 address with a dot', hello('192.168.100.3.'), nameless],
  ['an IPv6 address', hello('2001:db8::1'), nameless],
  ['NUL in the name', hello('api.c1.example.com\0.evil.example'), malformed],
  ['two trailing dots', hello(`${name}..`), malformed],
  ['an empty label', hello('api..example.com'), malformed],
  ['a leading dot', hello('.example.com'), malformed],
  ['a space', hello('api example.com'), malformed],
  ['bytes beyond ASCII', hello('ap\xef.example.com'), malformed],
  ['a name of 256 bytes', hello(`${'a.'.repeat(127)}aa`), malformed],
  ['two server_name extensions', records(twice(serverNameExtension('other.example.com'))), malformed],
  ['two of another extension', records(helloMessage({ serverName: name, before: [grease, grease] })), malformed],
  ['two names in the list', records(withServerNames([0, name], [0, 'other.example.com'])), malformed],
  ['a name of an unknown type', records(withServerNames([1, name])), malformed],
  ['an empty list of names', records(helloMessage({ before: [[0, uint16(0)]] })), malformed],
  ['an empty server_name extension', records(helloMessage({ before: [[0, new Uint8Array(0)]] })), malformed],
  [
    'bytes after the list of names',
    records(helloMessage({ before: [trailing(serverNameExtension(name))] })),
    malformed,
  ],
  ['a session id of 33 bytes', records(patched(sound, 4 + 34, 33)), malformed],
  ['an odd length of cipher suites', records(patched(sound, 4 + 34 + 33 + 1, 5)), malformed],
  ['no cipher suites', records(patched(sound, 4 + 34 + 33 + 1, 0)), malformed],
  ['bytes after the extensions', records(message(1, join(sound.subarray(4), Uint8Array.of(0)))), malformed],
  ['an empty hello', records(message(1, new Uint8Array(0))), malformed],
  ['a ServerHello', records(message(2, sound.subarray(4))), malformed],
  ['another record in between', join(records(sound.subarray(0, 20)), Uint8Array.of(20, 3, 3, 0, 1, 1)), malformed],
  ['an empty record', Uint8Array.of(22, 3, 1, 0, 0), malformed],
  ['a record of 65535 bytes', Uint8Array.of(22, 3, 1, 255, 255), malformed],
  ['plain HTTP', bytesOf('GET / HTTP/1.1\r\nHost: x\r\n\r\n'), notTls],
  ['an SSLv2 hello', Uint8Array.of(0x80, 0x2e, 1, 0, 2, 0, 0x15, 0, 0, 0, 0x10), notTls],
  ['an alert first', Uint8Array.of(21, 3, 3, 0, 2, 2, 40), notTls],
  ['SSH', bytesOf('SSH-2.0-OpenSSH_9\r\n'), notTls],
]

function twice(extension: Extension): Uint8Array {
  return helloMessage({ serverName: name, before: [extension] })
}

function withServerNames(...names: readonly (readonly [number, string])[]): Uint8Array {
  const list = join(...names.map(([type, text]) => join(Uint8Array.of(type), vector16(bytesOf(text)))))
  return helloMessage({ before: [[0, vector16(list)]] })
}

function trailing([type, content]: Extension): Extension {
  return [type, join(content, Uint8Array.of(0))]
}

function patched(bytes: Uint8Array, offset: number, value: number): Uint8Array {
  const copy = Uint8Array.from(bytes)
  copy[offset] = value
  return copy
}
