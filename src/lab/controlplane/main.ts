import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { serveDns } from './dns.ts'
import { serveFiles } from './files.ts'
import { serveHttps } from './https.ts'
import { type Listening, type Service, serviceSchema, servingLine } from './service.ts'
import { serveStream } from './stream.ts'
import { serveTftp } from './tftp.ts'

/** The program that runs inside a namespace: `main.ts <file with the services as JSON>`. */

const tell = (line: string): void => void process.stdout.write(`${line}\n`)

function serve(service: Service): Promise<Listening> {
  switch (service.kind) {
    case 'https':
      return serveHttps(service)
    case 'stream':
      return serveStream(service)
    case 'dns':
      return serveDns(service)
    case 'tftp':
      return serveTftp(service, tell)
    case 'http':
      return serveFiles(service, tell)
  }
}

const [file = ''] = process.argv.slice(2)
const services = z.array(serviceSchema).parse(JSON.parse(readFileSync(file, 'utf8')))
const listening = new Map<string, Listening>()

async function open(service: Service): Promise<void> {
  if (!listening.has(service.name)) listening.set(service.name, await serve(service))
}

async function obey(order: string): Promise<void> {
  const [word, name] = order.split(' ')
  const service = services.find((one) => one.name === name)
  if (!service) return
  if (word === 'open') await open(service)
  if (word === 'close') {
    listening.get(service.name)?.close()
    listening.delete(service.name)
  }
  tell(order)
}

await Promise.all(services.map(open))
tell(servingLine)
createInterface({ input: process.stdin }).on('line', (order) => void obey(order))
