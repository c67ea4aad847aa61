import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, it } from 'vitest'
import { envoyFiles } from '../../src/core/proxy/envoy/program.ts'
import { EnvoyAdmin } from '../../src/engines/envoy/program/envoy-admin.ts'
import { hello } from '../../src/engines/proxy/testing/hello-builder.ts'
import { connectTo } from '../../src/engines/proxy/testing/loopback.ts'
import { until } from '../../src/lab/testing.ts'
import { provideEnvoy } from '../../tools/envoy/provide.ts'
import { describeWithControlPlane } from './availability.ts'
import { installKinds } from './installed-kinds.ts'
import { EngineProcess, podUser, stateDirectory, WitnessedObject } from './pod-kit.ts'
import { freePorts } from './ports.ts'
import { useSharedControlPlane } from './use.ts'

/** Loopback is no target in a pod; any other address of this machine is. */
function ownAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((entries) => entries ?? [])
  return all.find(({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.'))
    ?.address
}

const address = ownAddress()

describeWithControlPlane('Envoy in its pod', () => {
  const plane = useSharedControlPlane({ prepare: [installKinds] })
  let target: Server

  beforeAll(async () => {
    target = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end('through')))
    await new Promise<void>((resolve) => target.listen(0, address, resolve))
  })
  afterAll(() => target.close())

  it.skipIf(address === undefined)(
    'is programmed by what the API server shows, and comes back when it and oooi are killed without it',
    async () => {
      const namespace = await plane().newNamespace('envoy')
      const [port = 0, xdsPort = 0] = await freePorts(2)
      const place = target.address()
      const targetPort = typeof place === 'object' ? (place?.port ?? 0) : 0
      const serverIP = '127.77.0.11'
      const object = new WitnessedObject(plane(), 'ProxyServer', namespace, 'example-proxy')
      const backend = {
        name: 'api',
        hostname: 'api.c1.example.test',
        port,
        targetService: 'api',
        targetNamespace: namespace,
      }
      await object.create({
        engine: 'envoy',
        networkConfig: { serverIP, networkAttachmentName: 'vlan' },
        backends: [{ ...backend, targetPort }],
        xdsPort,
      })
      const user = await podUser(plane(), 'ProxyServer', namespace, 'example-proxy')
      await using state = await stateDirectory()
      const command = ['proxy', '--resource', `${namespace}/example-proxy`, '--envoy', await provideEnvoy(process.env)]
      const admin = new EnvoyAdmin(envoyFiles(state.path).adminSocket)
      // It may be gone before its answer is through.
      const endEnvoy = () => admin.ask('POST', '/quitquitquit').then(ignore, ignore)
      await using _envoy = { [Symbol.asyncDispose]: endEnvoy }
      await using oooi = await EngineProcess.start(command, user, state.path)
      const resolved = { backends: [{ name: 'api', endpoints: [{ address, port: targetPort }] }] }
      await object.patch({ status: { resolved } }, '/status')

      const gets = async () => {
        const client = await connectTo(port, serverIP)
        client.on('error', () => {})
        client.write(hello('api.c1.example.test'))
        const chunks: Buffer[] = []
        for await (const chunk of client) chunks.push(Buffer.from(chunk))
        return Buffer.concat(chunks).toString()
      }
      const isThrough = () =>
        until('a way through', async () => ((await gets().catch(() => '')) === 'through' ? true : undefined), 30_000)
      await isThrough()
      await until('its conditions', async () => {
        const { conditions = [] } = ((await object.read()).status ?? {}) as {
          conditions?: { type: string; status: string }[]
        }
        const states = new Map(conditions.map(({ type, status }) => [type, status]))
        return (states.get('Programmed') === 'True' && states.get('BackendsHealthy') === 'True') || undefined
      })

      const kubeconfig = await readFile(user.kubeconfigPath, 'utf8')
      await writeFile(user.kubeconfigPath, kubeconfig.replace(/127\.0\.0\.1:\d+/, '127.0.0.1:1'))
      await oooi.end('SIGKILL')
      oooi.spawn()
      await oooi.untilReady()
      await isThrough()
      await endEnvoy()
      await isThrough()
    },
  )
})

function ignore(): void {}
