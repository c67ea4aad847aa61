import { get } from 'node:https'
import { expect, onTestFinished, test } from 'vitest'
import { customResourceDefinitions } from '../../src/api/crd/definition.ts'
import { managerCommand } from '../../src/cli/manager/manager.ts'
import type { Terminal } from '../../src/cli/terminal.ts'
import { testTerminal } from '../../src/cli/testing.ts'
import type { User } from '../../src/lab/kubernetes/access/access.ts'
import { sleep, systemClock } from '../../src/runtime/time/clock.ts'
import { describeWithControlPlane } from './availability.ts'
import { installKinds, removeKinds } from './installed-kinds.ts'
import { infra, until, worldOf } from './operator-world.ts'
import { managerOf, type RunningOperator, startOperator } from './running-operator.ts'
import { useOwnControlPlane } from './use.ts'

describeWithControlPlane('oooi manager', () => {
  const plane = useOwnControlPlane()

  interface Run {
    readonly terminal: Terminal
    readonly stop: AbortController
    readonly ended: Promise<unknown>
    text(): string
  }

  function start(user: User, ...args: string[]): Run {
    const stop = new AbortController()
    const { terminal, outcome } = testTerminal({
      env: { OOOI_IMAGE: 'registry.example.com/oooi:7' },
      stop: stop.signal,
    })
    const common = ['--kubeconfig', user.kubeconfigPath, '--metrics-bind-address=127.0.0.1:0']
    onTestFinished(() => stop.abort())
    const ended = managerCommand(terminal).parseAsync([...common, ...args], { from: 'user' })
    return { terminal, stop, ended, text: () => outcome().stderr }
  }

  test('without the kinds, and without the rights, it says so in a sentence', async () => {
    await removeKinds(plane(), ...customResourceDefinitions().map(({ metadata }) => metadata.name))
    const first = start(plane().admin, '--health-probe-bind-address=0')
    await first.ended
    expect(first.terminal.exitCode).toBe(4)
    expect(first.text()).toMatch(/^oooi: The cluster does not know Infra, .*DHCPServer, .*oooi crds --install.*\n$/)

    await installKinds(plane())
    const second = start(await plane().addUser('nobody'), '--health-probe-bind-address=0')
    await second.ended
    expect(second.terminal.exitCode).toBe(4)
    expect(second.text()).toMatch(/^oooi: This user may not list infras, .* ClusterRole of the chart.*\n$/)
  })

  test('a process that dies after every single write gets there all the same', async () => {
    const namespace = await plane().newNamespace()
    const world = worldOf(plane())
    await world.apply(infra(namespace))
    const kinds = [
      'infras',
      'dhcpservers',
      'dnsservers',
      'proxyservers',
      'deployments',
      'services',
      'roles',
      'rolebindings',
    ]
    const objects = async () => {
      const lists = await Promise.all(kinds.map((plural) => world.list(plural, namespace)))
      return lists.flat().map(({ metadata: { name, uid }, spec, status }) => ({ name, uid, spec, status }))
    }
    let lives = 0
    for (let isComplete = false; !isComplete; lives++) {
      const operator = await startOperator(plane(), { mostWrites: lives + 1 })
      const comesToRest = async () => operator.isCutOff() || (await isQuiet(operator))
      await until('it is cut off or done', comesToRest, () => `life ${lives}`)
      isComplete = !operator.isCutOff()
      await operator.stop()
    }
    expect(lives).toBeGreaterThan(15)
    const reached = await objects()
    const operator = await startOperator(plane())
    await until('it looked at everything', () => isQuiet(operator))
    await operator.stop()
    expect(await objects()).toEqual(reached)
    expect(await world.list('deployments', namespace)).toHaveLength(3)
  })

  test('elected it works, and stopped it gives the Lease back', async () => {
    const namespace = await plane().newNamespace()
    const flags = [
      '--leader-elect',
      '--metrics-secure=false',
      '--enable-openshift',
      '--health-probe-bind-address=127.0.0.1:0',
    ]
    const run = start(await managerOf(plane()), ...flags, `--namespace=${namespace}`)
    const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/8d60c2c3.densityops.com`
    const holder = async () =>
      (await plane().request<{ spec?: { holderIdentity?: string } }>(path)).body.spec?.holderIdentity
    await until('it is elected', async () => Boolean(await holder()), run.text)
    await worldOf(plane()).apply(infra(namespace))
    const deployment = await worldOf(plane()).eventually('deployments', namespace, 'c1-dhcp')
    expect(deployment.spec.template.spec.containers[0].image).toBe('registry.example.com/oooi:7')
    expect(run.text()).toContain('--enable-openshift has no effect')
    const [health, metrics] = portsIn(run.text())
    expect((await fetch(`http://127.0.0.1:${health}/readyz`)).status).toBe(200)
    const scraped = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text()
    expect(scraped).toContain('oooi_leader 1')
    expect(scraped).toMatch(/oooi_reconciles_total\{controller="infras",result="done"\} [1-9]/)
    run.stop.abort()
    await run.ended
    expect(run.terminal.exitCode).toBe(0)
    expect(await holder()).toBeFalsy()
  })

  test('secured, it shows its metrics to whom the API server allows them and to nobody else', async () => {
    await installKinds(plane())
    const run = start(plane().admin, '--metrics-secure', '--health-probe-bind-address=0')
    await until('it listens', async () => portsIn(run.text()).length > 0, run.text)
    const [port] = portsIn(run.text())
    const namespace = await plane().newNamespace()
    const tokenOf = async (name: string): Promise<string> => {
      await plane().kubectl(['create', 'serviceaccount', name, '--namespace', namespace])
      return (await plane().kubectl(['create', 'token', name, '--namespace', namespace])).trim()
    }
    const [reader, stranger] = [await tokenOf('reader'), await tokenOf('stranger')]
    const role = `metrics-reader-${namespace}`
    await plane().kubectl(['create', 'clusterrole', role, '--verb=get', '--non-resource-url=/metrics'])
    const who = `--serviceaccount=${namespace}:reader`
    await plane().kubectl(['create', 'clusterrolebinding', role, `--clusterrole=${role}`, who])
    await until('the right is there', async () => (await scrape(port, reader)).status === 200)
    expect((await scrape(port, reader)).text).toContain('oooi_reconciles_total')
    expect((await scrape(port, stranger)).status).toBe(403)
    expect((await scrape(port, 'nonsense')).status).toBe(401)
    expect((await scrape(port)).status).toBe(401)
    await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow()
    run.stop.abort()
    await run.ended
  })
})

/** As Prometheus does it when told not to ask who vouches for the certificate. */
function scrape(port: number | undefined, token?: string): Promise<{ status: number; text: string }> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/metrics', rejectUnauthorized: false, agent: false, headers }, (answer) => {
      let text = ''
      answer.on('data', (chunk) => {
        text += chunk
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
    }).on('error', reject)
  })
}

/** For a second: the API server may be slow to tell what was written last. */
async function isQuiet(operator: RunningOperator): Promise<boolean> {
  const before = operator.reconciles()
  for (let looks = 0; looks < 20; looks++) {
    await sleep(systemClock, 50)
    if (before < 4 || operator.reconciles() !== before || operator.isCutOff()) return false
  }
  return true
}

/** The ports that the log says it listens on. */
function portsIn(log: string): number[] {
  const line = log.split('\n').find((text) => text.includes('"starting"')) ?? '{}'
  const { observed = [] }: { observed?: { port: number }[] } = JSON.parse(line)
  return observed.map(({ port }) => port)
}
