import { Duplex } from 'node:stream'
import { connect } from 'node:tls'

/** The first bytes a real TLS client sends to ask for this server name. */
export function clientHello(serverName: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const wire = new Duplex({
      read() {},
      write(chunk: Buffer, _encoding, done) {
        done()
        resolve(chunk)
        setImmediate(() => wire.destroy())
      },
    })
    connect({ socket: wire, servername: serverName }).on('error', reject)
  })
}
