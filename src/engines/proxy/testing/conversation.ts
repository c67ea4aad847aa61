import type { Socket } from 'node:net'
import { hello } from './hello-builder.ts'
import { connectTo, readAll, readExactly, TestServer } from './loopback.ts'

export const echoHello = hello('echo.example.com')

/** Says hello and `text` through the proxy, and returns what came back after the echoed hello. */
export async function converse(port: number, text: string, first = echoHello, host?: string): Promise<string> {
  const client = await connectTo(port, host)
  client.write(first)
  client.end(text)
  const received = await readAll(client)
  return received.subarray(first.length).toString()
}

/** A connection to the echo backend that is through and stays open. */
export async function openStream(port: number, first = echoHello): Promise<Socket> {
  const client = await connectTo(port)
  client.write(first)
  await readExactly(client, first.length)
  return client
}

/** Everything the proxy answers to these bytes, the client leaving its own side open. */
export async function answerTo(port: number, bytes: Uint8Array, host?: string): Promise<Buffer> {
  const client = await connectTo(port, host)
  client.write(bytes)
  const answer = await readAll(client)
  client.destroy()
  return answer
}

/** The fatal TLS alert that the proxy answers with; undefined when it answers with nothing. */
export async function alertFor(port: number, bytes: Uint8Array, host?: string): Promise<number | undefined> {
  const [type, major, minor, lengthHigh, lengthLow, level, description] = await answerTo(port, bytes, host)
  if (type === undefined) return undefined
  const header = [type, major, minor, lengthHigh, lengthLow, level].join(' ')
  if (header !== '21 3 3 0 2 2') throw new Error(`not a fatal alert: ${header}`)
  return description
}

/** A server that echoes, and says its name at the end; or one that says its name as soon as it hears anything. */
export function namingServer(name: string, { greets = false } = {}): Promise<TestServer> {
  return new TestServer((socket) => {
    if (greets) socket.once('data', () => socket.write(name))
    else socket.on('data', (chunk) => socket.write(chunk))
    socket.on('end', () => socket.end(name))
  }).start()
}

/**
 * The name of the server behind the proxy, or empty when there is no way to any. It says more only after the hello came
 * back, as a TLS client does: Envoy drops who closes its side along with the hello.
 */
export async function nameBehind(port: number, first: Uint8Array, host?: string, from?: string): Promise<string> {
  const client = await connectTo(port, host, from)
  try {
    client.write(first)
    await readExactly(client, first.length)
    client.end()
    return (await readAll(client)).toString()
  } catch {
    return ''
  } finally {
    client.destroy()
  }
}
