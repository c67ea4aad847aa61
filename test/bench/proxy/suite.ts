import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findTool } from '../../../src/lab/host/tools.ts'
import { setSysctl } from '../../../src/lab/network/build.ts'
import { envoyVersion, provideEnvoy } from '../../../tools/envoy/provide.ts'
import { type Bench, makeIsland, runLoad, type Suite, type SuiteResult } from '../bench.ts'
import { type Contender, type Measure, runPlan } from '../harness.ts'
import { compile, compiler } from '../peers/compile.ts'
import { bring } from '../peers/packages.ts'
import { ownVersion, versionOf } from '../peers/version.ts'
import { measureChanges } from './change.ts'
import { clientHello } from './hello.ts'
import { type LoadMode, type LoadReport, outcomeOf, parseLoad } from './load.ts'
import {
  type Listener,
  nginxStreamModule,
  type Route,
  startEnvoy,
  startHaproxy,
  startNginx,
  startOurs,
} from './servers.ts'

const method = `One process and one thread per proxy, TLS passed through by server name among ten, no log of connections. Clients and
backends are one small C program on the other core; it sends a real ClientHello and then raw bytes, so that the proxy is
measured and not the cryptography of the endpoints; "direct" is that program talking to itself. New connections: 64
under way; messages: 100 bytes to and fro on 32 connections; download and upload: 4 streams. Every byte is compared with
what was sent, in these runs and beforehand with 32 slow readers in each direction; one wrong byte ends the run.`

const hostname = 'api.my-cluster.example.com'
const target: Listener = { address: '10.77.0.9', port: 6443 }
const routes: readonly Route[] = [
  ...Array.from({ length: 9 }, (_, index) => ({ hostname: `other-${index}.my-cluster.example.com`, target })),
  { hostname, target },
]

interface ProxyContender extends Contender {
  readonly at: Listener
}

export const proxySuite: Suite = {
  name: 'proxy',
  about: 'new connections, messages, bulk, every byte compared: beside HAProxy, nginx and Envoy',
  async run(bench: Bench): Promise<SuiteResult> {
    const haproxyPackage = { command: 'haproxy', package: 'haproxy' }
    const nginxPackage = { command: 'nginx', package: 'nginx-light libnginx-mod-stream' }
    await bring([haproxyPackage, nginxPackage, ...compiler], bench.say)
    if (compiler.some(({ command }) => !findTool(command))) throw new Error('the proxy suite needs a C compiler')
    const namespace = await makeIsland(bench, ['10.77.0.1', '10.77.0.2', '10.77.0.3', '10.77.0.4', target.address])
    // Thousands of connections a second between two addresses: ports must come back sooner than after a minute.
    await setSysctl(namespace, 'net/ipv4/ip_local_port_range', '1024 65535')
    await setSysctl(namespace, 'net/ipv4/tcp_tw_reuse', '1')
    const ours: Listener = { address: '10.77.0.1', port: 6443 }
    const theirs: Listener = { address: '10.77.0.2', port: 6443 }
    const contenders: ProxyContender[] = [
      { name: 'oooi', version: await ownVersion(), at: ours, start: () => startOurs(bench, namespace, ours, routes) },
    ]
    const leftOut: { name: string; why: string }[] = []
    if (findTool('haproxy')) {
      const version = await versionOf('haproxy', ['-v'])
      contenders.push({
        name: 'HAProxy',
        version,
        at: theirs,
        start: () => startHaproxy(bench, namespace, theirs, routes),
      })
    } else leftOut.push({ name: 'HAProxy', why: 'it is not installed and could not be' })
    const fourths: Listener = { address: '10.77.0.4', port: 6443 }
    if (findTool('nginx') && existsSync(nginxStreamModule)) {
      const start = () => startNginx(bench, namespace, fourths, routes)
      contenders.push({ name: 'nginx', version: await versionOf('nginx', ['-v']), at: fourths, start })
    } else leftOut.push({ name: 'nginx', why: 'it is not installed with its stream module and could not be' })
    const thirds: Listener = { address: '10.77.0.3', port: 6443 }
    let change = ''
    try {
      const program = await provideEnvoy(process.env)
      const start = () => startEnvoy(bench, namespace, thirds, routes, program)
      contenders.push({ name: 'Envoy', version: envoyVersion, at: thirds, start })
      change = await measureChanges(bench, program)
    } catch (error) {
      leftOut.push({ name: 'Envoy', why: error instanceof Error ? error.message : String(error) })
    }
    const load = await makeLoad(bench, namespace)
    for (const contender of contenders) await compareBytes(bench, contender, load)
    const direct: ProxyContender = { name: 'direct', version: '', at: target, start: async () => nobody }
    const plan = { measures: measures([...contenders, direct], load) }
    return { method: `${method}${change}`, contenders, leftOut, measures: await runPlan(plan, bench.pace, bench.say) }
  },
}

const nobody = { pids: [], stop: async () => {} }

type Load = (mode: LoadMode, contender: ProxyContender, seconds: number) => Promise<LoadReport>

const connectionsOf: Readonly<Record<LoadMode, number>> = {
  connect: 64,
  echo: 32,
  download: 4,
  upload: 4,
  'slow-download': 32,
  'slow-upload': 32,
}

async function makeLoad(bench: Bench, namespace: string): Promise<Load> {
  const program = await compile(join(import.meta.dirname, 'load.c'))
  const helloFile = join(bench.directory, 'hello')
  writeFileSync(helloFile, await clientHello(hostname))
  return async (mode, { name, at }, seconds) => {
    const from = [at.address, `${at.port}`, target.address, `${target.port}`]
    const command = [program, mode, ...from, `${seconds}`, `${connectionsOf[mode]}`, helloFile]
    return parseLoad(await runLoad(namespace, command), `${name} (${mode})`)
  }
}

async function compareBytes(bench: Bench, contender: ProxyContender, load: Load): Promise<void> {
  const server = await contender.start()
  try {
    for (const mode of ['slow-download', 'slow-upload'] as const) {
      const { bytes, failures } = await load(mode, contender, 1)
      if (failures > 0) throw new Error(`${contender.name} lost ${failures} connections (${mode})`)
      bench.say(`${mode}, ${contender.name}: ${Math.round(bytes / 1e6)} MB compared, none wrong`)
    }
  } finally {
    await server.stop()
  }
}

function measures(contenders: readonly ProxyContender[], load: Load): Measure<ProxyContender>[] {
  const measure = (name: string, unit: string, mode: LoadMode): Measure<ProxyContender> => ({
    name,
    unit,
    contenders,
    run: async (contender, seconds) => outcomeOf(mode, await load(mode, contender, seconds)),
  })
  return [
    measure('new connections', 'connections', 'connect'),
    measure('messages', 'messages', 'echo'),
    measure('download', 'Gbit', 'download'),
    measure('upload', 'Gbit', 'upload'),
  ]
}
