import { randomFillSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type TLSSocket } from 'node:tls'
import { decode } from 'dns-packet'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { findCoredns } from '../../../../tools/coredns/coredns.ts'
import { caFile, certificateFile, keyFile, makeCertificates } from '../../../lab/controlplane/certificates.ts'
import { createLogger } from '../../../runtime/observe/log.ts'
import { encodeName } from '../codec/name.ts'
import { recordType } from '../codec/numbers.ts'
import type { Question } from '../codec/question.ts'
import { addressesIn } from '../codec/response.ts'
import { MessageReader } from '../message-reader.ts'
import { startCoredns } from '../peers-for-tests.ts'
import { AnswerCache, type KeptAnswer } from './cache.ts'
import { Forwarder } from './forwarder.ts'
import { RandomNumbers } from './random.ts'
import { answerTo } from './scripted-upstream.ts'

const directory = mkdtempSync(join(tmpdir(), 'oooi-dns-tls-'))
const read = (file: string) => readFileSync(join(directory, file), 'utf8')
const tlsName = 'dns.example.com'
const stops: (() => unknown)[] = []

beforeAll(() => makeCertificates(directory, [{ name: 'dns', subjectAltNames: [`DNS:${tlsName}`] }]))
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** An upstream over TLS that counts its connections and lets the test end them. */
class TlsUpstream {
  readonly connections: TLSSocket[] = []
  queries = 0
  isSilent = false
  closesAfterEach = false
  readonly #server = createServer({ cert: read(certificateFile('dns')), key: read(keyFile('dns')) }, (socket) => {
    const reader = new MessageReader()
    this.connections.push(socket)
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      for (const message of reader.read(chunk)) this.#answer(socket, message)
    })
  })

  static async start(): Promise<TlsUpstream> {
    const upstream = new TlsUpstream()
    await new Promise<void>((resolve) => upstream.#server.listen(0, '127.0.0.1', resolve))
    upstream.#server.on('tlsClientError', () => {})
    stops.push(() => upstream.stop())
    return upstream
  }

  get port(): number {
    const place = this.#server.address()
    return typeof place === 'object' && place !== null ? place.port : 0
  }

  #answer(socket: TLSSocket, message: Uint8Array): void {
    const query = decode(Buffer.from(message))
    if (query.questions?.[0]?.type === 'HINFO') return
    this.queries++
    if (this.isSilent) return
    const reply = answerTo(query)
    socket.write(Uint8Array.of(reply.length >> 8, reply.length & 255))
    socket.write(reply)
    if (this.closesAfterEach) socket.end()
  }

  stop(): void {
    for (const socket of this.connections) socket.destroy()
    this.#server.close()
  }
}

function forwarder(port: number, name = tlsName, authorities = [read(caFile)]) {
  const logs: string[] = []
  const made = new Forwarder({
    cache: new AnswerCache(1 << 20),
    random: new RandomNumbers((bytes) => randomFillSync(bytes)),
    now: Date.now,
    log: createLogger('info', { write: (line) => logs.push(line) }),
    observeSeconds: () => {},
    retryAfterMs: 1000,
    authorities: () => authorities,
  })
  made.configure([{ address: '127.0.0.1', port, family: 4, tlsName: name }], 1000)
  stops.push(() => made.stop())
  let asked = 0
  const ask = (text = `n${++asked}.example.net`): Promise<KeptAnswer> => {
    const name = encodeName(text)
    const question: Question = { name, hash: asked, type: recordType.A, dnssecOk: false, checkingDisabled: false }
    return new Promise((resolve) => made.ask(question, resolve))
  }
  return { made, ask, logs }
}

const addresses = ({ answer }: KeptAnswer) => addressesIn(answer, recordType.A).map((bytes) => bytes.join('.'))

describe('an upstream over TLS', () => {
  it('is asked many questions on one connection', async () => {
    const upstream = await TlsUpstream.start()
    const { ask } = forwarder(upstream.port)
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => ask()))
      expect(answers.map(addresses)).toEqual(Array.from({ length: 50 }, () => ['192.0.2.1']))
    }
    expect(upstream.connections).toHaveLength(1)
    // On a machine that stood still for a moment some are asked twice, as of any upstream that is late.
    expect(upstream.queries).toBeGreaterThanOrEqual(150)
    expect(upstream.queries).toBeLessThan(175)
  })

  it('may close the connection at any time: what was under way is asked again', async () => {
    const upstream = await TlsUpstream.start()
    const { ask, made } = forwarder(upstream.port)
    await ask()
    upstream.isSilent = true
    const waiting = ask()
    await expect.poll(() => upstream.queries).toBe(2)
    upstream.isSilent = false
    upstream.connections[0]?.destroy()
    expect(addresses(await waiting)).toEqual(['192.0.2.1'])
    upstream.closesAfterEach = true
    for (let index = 0; index < 5; index++) expect(addresses(await ask())).toEqual(['192.0.2.1'])
    expect(made.upstreams[0]?.isHealthy).toBe(true)
  })

  it.each([
    ['another name', 'other.example.com', true],
    ['an unknown authority', tlsName, false],
  ])('with a certificate of %s is told nothing, and the log says why', async (_text, name, isKnown) => {
    const upstream = await TlsUpstream.start()
    const { ask, made, logs } = forwarder(upstream.port, name, isKnown ? [read(caFile)] : [])
    expect((await ask()).answer.responseCode).toBe(2)
    expect(upstream.queries).toBe(0)
    expect(made.upstreams[0]?.errors.untrusted).toBeGreaterThan(0)
    expect(made.upstreams[0]?.lastError).toBe('untrusted')
    expect(logs.join()).toContain('no certificate that can be trusted')
  })

  it('that is not there is unreachable', async () => {
    const upstream = await TlsUpstream.start()
    const { port } = upstream
    upstream.stop()
    const { ask, made } = forwarder(port)
    expect((await ask()).answer.responseCode).toBe(2)
    expect(made.upstreams[0]?.lastError).toBe('unreachable')
  })
})

describe('CoreDNS as upstream over TLS', () => {
  it('answers', async () => {
    const program = await findCoredns(process.env)
    const files = `${join(directory, certificateFile('dns'))} ${join(directory, keyFile('dns'))}`
    const peer = await startCoredns(
      program,
      '127.0.0.1',
      join(directory, 'coredns'),
      (port) => `tls://.:${port} {
    bind 127.0.0.1
    tls ${files}
    hosts /dev/null {
        192.0.2.77 www.example.net
    }
}
`,
    )
    stops.push(() => peer.stop())
    const { ask, made } = forwarder(peer.port)
    expect(addresses(await ask('www.example.net'))).toEqual(['192.0.2.77'])
    expect(made.upstreams[0]).toMatchObject({ isHealthy: true, lastError: undefined })
    expect((await forwarder(peer.port, 'wrong.example.com').ask('www.example.net')).answer.responseCode).toBe(2)
  })
})
