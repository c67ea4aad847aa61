import { pino } from 'pino'
import { Metrics } from '../../../runtime/observe/metrics.ts'
import { createDhcpEngine } from '../engine.ts'
import { dhcpServer } from './vlan.ts'

/** Run as a process of its own, to be killed: a whole server on the loopback network, for clients behind a relay. */
const [stateDir = '', port = '0'] = process.argv.slice(2)
const engine = createDhcpEngine({
  log: pino({ level: 'silent' }),
  metrics: new Metrics(),
  now: Date.now,
  podAddresses: [],
  stateDir,
  ports: { server: Number(port), client: Number(port) },
})
const applied = await engine.apply(
  dhcpServer({
    cidr: '127.0.0.0/8',
    serverIP: '127.0.0.1',
    gateway: undefined,
    dnsServers: ['127.0.0.1'],
    range: ['127.1.0.0', '127.1.255.255'],
    spec: { probe: { enabled: false } },
  }),
)
if (!applied.ok) throw new Error(JSON.stringify(applied.problems))
process.stdout.write('serving\n')
