import { connect, type Server, type Socket } from 'node:net'

/** The far end of `relay.ts`: is handed a listening socket of the host and passes its connections on. */

const [host = '', port = ''] = process.argv.slice(2)

process.once('message', (_: unknown, server: Server) => {
  server.on('connection', (client: Socket) => {
    const target = connect({ host, port: Number(port) })
    client.on('error', () => target.destroy()).on('close', () => target.destroy())
    target.on('error', () => client.destroy()).on('close', () => client.destroy())
    client.pipe(target).pipe(client)
  })
  process.send?.('serving')
})
