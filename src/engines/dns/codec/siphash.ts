import { writeUint32 } from './bytes.ts'

/**
 * SipHash-2-4: a keyed hash for short inputs that nobody without the key can predict. The 64-bit words are pairs of
 * 32-bit numbers: eight of them, low before high, in `state`; big integers would be slower by an order of magnitude.
 */
const state = new Int32Array(8)

/** Adds word `b` to word `a`. */
function add(a: number, b: number): void {
  const low = ((state[a] ?? 0) >>> 0) + ((state[b] ?? 0) >>> 0)
  state[a + 1] = (state[a + 1] ?? 0) + (state[b + 1] ?? 0) + (low > 0xffffffff ? 1 : 0)
  state[a] = low
}

function xor(a: number, b: number): void {
  state[a] = (state[a] ?? 0) ^ (state[b] ?? 0)
  state[a + 1] = (state[a + 1] ?? 0) ^ (state[b + 1] ?? 0)
}

/** Rotates word `a` to the left by less than 32 bits. */
function rotate(a: number, bits: number): void {
  const low = state[a] ?? 0
  const high = state[a + 1] ?? 0
  state[a] = (low << bits) | (high >>> (32 - bits))
  state[a + 1] = (high << bits) | (low >>> (32 - bits))
}

/** Rotates word `a` by 32 bits. */
function swap(a: number): void {
  const low = state[a] ?? 0
  state[a] = state[a + 1] ?? 0
  state[a + 1] = low
}

function round(): void {
  add(0, 2)
  rotate(2, 13)
  xor(2, 0)
  swap(0)
  add(4, 6)
  rotate(6, 16)
  xor(6, 4)
  add(0, 6)
  rotate(6, 21)
  xor(6, 0)
  add(4, 2)
  rotate(2, 17)
  xor(2, 4)
  swap(4)
}

function absorb(low: number, high: number): void {
  state[6] = (state[6] ?? 0) ^ low
  state[7] = (state[7] ?? 0) ^ high
  round()
  round()
  state[0] = (state[0] ?? 0) ^ low
  state[1] = (state[1] ?? 0) ^ high
}

function littleEndian(bytes: Uint8Array, at: number, end: number): number {
  let word = 0
  for (let index = Math.min(at + 4, end) - 1; index >= at; index--) word = (word << 8) | (bytes[index] ?? 0)
  return word
}

/** The hash of the first `length` bytes of `message`, as eight bytes at `out[at]`, in the order the reference writes them. */
export function sipHash(key: Uint8Array, message: Uint8Array, length: number, out: Uint8Array, at: number): void {
  const key0 = littleEndian(key, 0, 16)
  const key1 = littleEndian(key, 4, 16)
  const key2 = littleEndian(key, 8, 16)
  const key3 = littleEndian(key, 12, 16)
  state[0] = key0 ^ 0x70736575
  state[1] = key1 ^ 0x736f6d65
  state[2] = key2 ^ 0x6e646f6d
  state[3] = key3 ^ 0x646f7261
  state[4] = key0 ^ 0x6e657261
  state[5] = key1 ^ 0x6c796765
  state[6] = key2 ^ 0x79746573
  state[7] = key3 ^ 0x74656462
  const whole = length - (length % 8)
  for (let index = 0; index < whole; index += 8) {
    absorb(littleEndian(message, index, length), littleEndian(message, index + 4, length))
  }
  absorb(littleEndian(message, whole, length), littleEndian(message, whole + 4, length) | (length << 24))
  state[4] = (state[4] ?? 0) ^ 0xff
  for (let index = 0; index < 4; index++) round()
  const low = (state[0] ?? 0) ^ (state[2] ?? 0) ^ (state[4] ?? 0) ^ (state[6] ?? 0)
  const high = (state[1] ?? 0) ^ (state[3] ?? 0) ^ (state[5] ?? 0) ^ (state[7] ?? 0)
  writeUint32(out, at, reverseBytes(low))
  writeUint32(out, at + 4, reverseBytes(high))
}

function reverseBytes(word: number): number {
  return (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)
}
