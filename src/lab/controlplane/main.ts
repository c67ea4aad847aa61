import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { serveDns } from './dns.ts'
import { serveHttps } from './https.ts'
import { type Service, serviceSchema, servingLine } from './service.ts'
import { serveStream } from './stream.ts'

/** The program that runs inside a namespace: `main.ts <file with the services as JSON>`. */

function serve(service: Service): Promise<void> {
  switch (service.kind) {
    case 'https':
      return serveHttps(service)
    case 'stream':
      return serveStream(service)
    case 'dns':
      return serveDns(service)
  }
}

const [file = ''] = process.argv.slice(2)
const services = z.array(serviceSchema).parse(JSON.parse(readFileSync(file, 'utf8')))
await Promise.all(services.map(serve))
process.stdout.write(`${servingLine}\n`)
