import { createServer, type Server } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { until } from '../../src/lab/testing.ts'
import { describeWithControlPlane } from './availability.ts'
import { installKinds } from './installed-kinds.ts'
import { EngineProcess, podUser, stateDirectory, WitnessedObject } from './pod-kit.ts'
import { freePorts } from './ports.ts'
import { useSharedControlPlane } from './use.ts'

describeWithControlPlane('the proxy in its pod, started as the Go program was', () => {
  const plane = useSharedControlPlane({ prepare: [installKinds] })
  let taken: Server | undefined

  afterEach(() => taken?.close())

  it('waits for a port that is taken, then serves and reports its backends', async () => {
    const namespace = await plane().newNamespace('proxy')
    const [port = 0] = await freePorts(1)
    const serverIP = '127.77.0.10'
    taken = createServer()
    await new Promise<void>((resolve) => taken?.listen(port, serverIP, resolve))
    const object = new WitnessedObject(plane(), 'ProxyServer', namespace, 'example-proxy')
    const backend = { name: 'api', hostname: 'api.c1.example.test', port, targetAddress: '192.0.2.1', targetPort: 6443 }
    await object.create({
      engine: 'embedded',
      networkConfig: { serverIP, networkAttachmentName: 'vlan' },
      backends: [backend],
    })
    const user = await podUser(plane(), 'ProxyServer', namespace, 'example-proxy')
    await using state = await stateDirectory()
    const flags = ['--xds-port', '18000', '--proxy-log-level', 'info']
    const command = ['proxy', '--namespace', namespace, '--proxy-name', 'example-proxy', ...flags]
    await using engine = await EngineProcess.start(command, user, state.path)
    const problem = await until('the problem', async () => {
      const status = await engine.status().catch(() => undefined)
      return status?.problems[0]
    })
    expect(problem.reason).toBe('PortInUse')
    expect(await engine.ready()).toBe('ProxyServer is not ready\n')
    expect((await object.read()).status?.servingGeneration).toBeUndefined()
    taken.close()
    await engine.untilReady()
    const status = await until('its status', async () => {
      const seen = (await object.read()).status
      return seen?.servingGeneration === 1 ? seen : undefined
    })
    // Its own word is not enough: nobody has permitted the address yet.
    expect(status).toMatchObject({ backends: [{ name: 'api', endpoints: 0 }] })
    const resolved = { backends: [{ name: 'api', endpoints: [{ address: '192.0.2.1', port: 6443 }] }] }
    await object.patch({ status: { resolved } }, '/status')
    const led = (count: number, generation: number) =>
      until(`led to ${count}`, async () => {
        const seen = (await object.read()).status
        const [served] = (seen?.backends ?? []) as { endpoints: number }[]
        return seen?.servingGeneration === generation && served?.endpoints === count ? true : undefined
      })
    await led(1, 1)
    // The attack: an edit to another address leads there neither before the manager has looked at it nor after.
    await object.patch({ spec: { backends: [{ ...backend, targetAddress: '10.9.9.9' }] } })
    await led(1, 2)
    await object.patch({ status: { resolved: { backends: [] } } }, '/status')
    await led(0, 2)
    expect((await engine.status()).problems).toMatchObject([{ reason: 'TargetUnresolved' }])
    for (const flag of ['--xds-port', '--proxy-log-level']) expect(engine.log).toContain(`warning: ignored, ${flag}`)
  })
})
