import { execFile, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { parseDhcpServerFile, parseDnsServerFile, parseProxyServerFile } from '../../src/api/manifest.ts'
import { apiVersion } from '../../src/api/meta.ts'
import { renderDhcpServer, renderDnsServer, renderProxyServer } from '../../src/core/render/render.ts'
import type { Result } from '../../src/core/result.ts'
import { until } from '../../src/lab/testing.ts'
import { accountKubeconfig } from './account.ts'
import { describeWithHelm, helmFor } from './helm.ts'
import { freePorts } from './ports.ts'
import { useOwnControlPlane } from './use.ts'

const program = join(import.meta.dirname, '..', '..', 'bin', 'oooi')
/** Where the sample of an Infra is. */
const clusters = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'clusters' } })
const manager = 'system:serviceaccount:oooi-system:oooi-controller-manager'

describeWithHelm('the chart and the kustomization', () => {
  const plane = useOwnControlPlane({ controllerManager: true })

  const helm = helmFor(plane, 'oooi-system')
  const rights = (verb: string, ...what: string[]) =>
    plane()
      .kubectl(['auth', 'can-i', verb, ...what, '--as', manager])
      .then(
        (answer) => answer.trim(),
        () => 'no',
      )

  beforeAll(async () => {
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'oooi-system', labels } }
    await plane().kubectl(['apply', '-f', '-'], { input: JSON.stringify(namespace) })
    await helm('install', 'oooi', 'charts/oooi')
  })

  it('passes the linter, and refuses values it does not have', async () => {
    expect(await helm('lint', '--strict', 'charts/oooi')).toContain('0 chart(s) failed')
    await expect(helm('template', 'oooi', 'charts/oooi', '--set', 'replica=2')).rejects.toThrow(/replica/)
    await expect(helm('template', 'oooi', 'charts/oooi', '--set', 'image.pullPolicy=Sometimes')).rejects.toThrow()
  })

  it('has the version of the program', async () => {
    const chart = await readFile('charts/oooi/Chart.yaml', 'utf8')
    for (const field of ['version', 'appVersion']) expect(chart).toContain(`\n${field}: ${packageJson.version}\n`)
  })

  it('is accepted by a real API server with every value set', async () => {
    const values = [
      'replicas=2,logLevel=debug,allowAnyTargetNamespace=true,priorityClassName=high',
      'allowedTargetCIDRs={10.0.0.0/8,172.16.0.0/12},extraArgs={--x=1},imagePullSecrets[0].name=pull',
      'podLabels.a=b,podAnnotations.c=d,nodeSelector.e=f,tolerations[0].operator=Exists,image.tag=sha256:ab',
    ]
    const flags = values.flatMap((value) => ['--set', value])
    const manifest = await helm('template', 'oooi', 'charts/oooi', '--kube-version', '1.36.4', ...flags)
    const said = await plane().kubectl(['apply', '--dry-run=server', '--server-side', '--force-conflicts', '-f', '-'], {
      input: manifest,
    })
    expect(said).toContain('deployment.apps/oooi-controller-manager serverside-applied (server dry run)')
    expect(manifest).toContain('localhost/oooi@sha256:ab')
  })

  it('gives a manager that Pod Security lets run, and kinds that can be used', async () => {
    const selector = 'app.kubernetes.io/name=oooi,app.kubernetes.io/component=manager'
    const pod = await until('the pod of the manager', async () => {
      const pods = await plane().kubectl(['get', 'pods', '-n', 'oooi-system', '-l', selector, '-o', 'name'])
      return pods.trim() || undefined
    })
    expect(pod).toMatch(/^pod\/oooi-controller-manager-/)
    await until('the category', () =>
      plane()
        .kubectl(['get', 'oooi', '-A'])
        .then(
          () => true,
          () => undefined,
        ),
    )
  })

  it('lets the manager make all that components are made of, and no more', async () => {
    const settings = {
      image: 'localhost/oooi:test',
      corednsImage: 'coredns:test',
      envoyImage: 'envoy:test',
      cidr: '192.168.100.0/24',
    }
    const read = async <Value>(name: string, parse: (text: string, file: string) => Result<Value>): Promise<Value> => {
      const result = parse(await readFile(`config/samples/${name}.yaml`, 'utf8'), name)
      if (!result.ok) throw new Error(JSON.stringify(result.problems))
      return result.value
    }
    const components = [
      renderDhcpServer(await read('dhcpserver', parseDhcpServerFile), settings),
      renderDnsServer(await read('dnsserver', parseDnsServerFile), settings),
      renderProxyServer(await read('proxyserver', parseProxyServerFile), settings),
    ]
    for (const objects of components) {
      const namespace = await plane().newNamespace('component')
      const items = objects.map((object) => ({ ...object, metadata: { ...object.metadata, namespace } }))
      const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
      await plane().kubectl(['apply', '--server-side', '--as', manager, '-f', '-'], { input })
    }
    expect(await rights('list', 'secrets', '-A')).toBe('no')
    expect(await rights('escalate', 'roles.rbac.authorization.k8s.io')).toBe('no')
    expect(await rights('bind', 'clusterroles.rbac.authorization.k8s.io')).toBe('no')
    expect(await rights('create', 'clusterrolebindings.rbac.authorization.k8s.io')).toBe('no')
    expect(await rights('delete', 'dhcpleases.hostedcluster.densityops.com', '-A')).toBe('no')
  })

  it('gives the manager all rights that its work on an Infra takes', async () => {
    const kubeconfig = await accountKubeconfig(plane(), 'oooi-system', 'oooi-controller-manager')
    const [metricsPort = 0] = await freePorts(1)
    const where = ['--metrics-bind-address', `127.0.0.1:${metricsPort}`, '--health-probe-bind-address', '0']
    const args = [
      'manager',
      '--kubeconfig',
      kubeconfig,
      '--leader-elect',
      '--namespace',
      'oooi-system',
      ...where,
      '--allow-any-target-namespace',
      '--log-level',
      'error',
    ]
    const manager = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    let log = ''
    manager.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text
    })
    try {
      const namespace = await plane().newNamespace('clusters')
      const sample = await readFile('config/samples/infra-minimal.yaml', 'utf8')
      const input = sample.replace('namespace: clusters', `namespace: ${namespace}`)
      await plane().kubectl(['apply', '-f', '-'], { input })
      await until('the Deployments', async () => {
        const found = await plane().kubectl(['get', 'deployments', '-n', namespace, '-o', 'name'])
        return found.trim().split('\n').length === 3 ? true : undefined
      }).catch(async (error) => {
        throw new Error(`${error}\n${log}\n${await plane().kubectl(['get', 'oooi', '-A', '-o', 'wide'])}`)
      })
      await plane().kubectl(['delete', 'infras', '--all', '-n', namespace, '--timeout=60s'])
      const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
      expect(metrics.split('\n').filter((line) => /^oooi_api_calls_total.*status="403"/.test(line))).toEqual([])
      expect(log).not.toContain('is forbidden')
    } finally {
      const ended = new Promise((resolve) => manager.once('close', resolve))
      manager.kill('SIGKILL')
      await ended
    }
  })

  it('lets people of a namespace edit Infras, but not what oooi writes', async () => {
    const namespace = await plane().newNamespace('team')
    await plane().kubectl(['create', 'rolebinding', 'dev', '--clusterrole=edit', '--user=dev', '-n', namespace])
    const may = (verb: string, ...what: string[]) =>
      plane()
        .kubectl(['auth', 'can-i', verb, ...what, '--as', 'dev', '-n', namespace])
        .then(
          () => true,
          () => false,
        )
    const group = apiVersion.split('/')[0]
    await until('the roles to be aggregated', async () => ((await may('create', `infras.${group}`)) ? true : undefined))
    expect(await may('patch', `dhcpservers.${group}`)).toBe(true)
    expect(await may('patch', `proxyservers.${group}`, '--subresource=status')).toBe(false)
    expect(await may('create', `dhcpleases.${group}`)).toBe(false)
    expect(await may('list', `dhcpleases.${group}`)).toBe(true)
  })

  it('is upgraded and uninstalled without taking the kinds and their objects away', async () => {
    await helm('upgrade', '--install', 'oooi', 'charts/oooi', '--set', 'replicas=2')
    await plane().kubectl(['apply', '-f', '-'], { input: clusters })
    await plane().kubectl(['apply', '-f', 'config/samples/infra-minimal.yaml'])
    await helm('uninstall', 'oooi')
    expect(await plane().kubectl(['get', 'infras', '-n', 'clusters', '-o', 'name'])).not.toBe('')
    await expect(
      plane().kubectl(['get', 'deployment', '-n', 'oooi-system', 'oooi-controller-manager']),
    ).rejects.toThrow()
  })

  const deploy = async (): Promise<string> => {
    const built = await plane().kubectl(['kustomize', 'config/default'])
    await plane().kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], { input: built })
    return built
  }

  it('the kustomization installs the same', async () => {
    expect(await deploy()).not.toContain('sample')
    await until('the rights', async () =>
      (await rights('patch', 'dnsservers.hostedcluster.densityops.com', '-A')) === 'yes' ? true : undefined,
    )
    const names = await plane().kubectl(['get', 'deployment,service,serviceaccount', '-n', 'oooi-system', '-o', 'name'])
    for (const name of ['deployment.apps/oooi-controller-manager', 'service/oooi-controller-manager-metrics']) {
      expect(names.split('\n')).toContain(name)
    }
  })

  it('is undeployed after all that the manager has to clean up, and not before', async () => {
    const make = async (...words: string[]) => {
      const { assets, kubeconfigPath } = { ...plane().address, ...plane().admin }
      const env = { ...process.env, PATH: `${assets}:${process.env.PATH}`, KUBECONFIG: kubeconfigPath }
      return promisify(execFile)('make', words, { env })
    }
    const infra = ['infra', '-n', 'clusters', 'my-cluster']
    const keepBy = (finalizers: readonly string[]) =>
      plane().kubectl(['patch', ...infra, '--type', 'merge', '-p', JSON.stringify({ metadata: { finalizers } })])
    await deploy()
    await plane().kubectl(['apply', '-f', 'config/samples/infra-minimal.yaml'])
    await keepBy(['example.com/held-by-a-manager'])
    await expect(make('undeploy', 'PATIENCE=1s')).rejects.toThrow(/still there after 1s.*\n.*my-cluster/)
    expect(await plane().kubectl(['get', 'deployment', '-n', 'oooi-system', '-o', 'name'])).toContain('oooi')
    await keepBy([])
    await make('undeploy')
    expect(await plane().kubectl(['get', 'crd', '-o', 'name'])).not.toContain('densityops')
  })
})
