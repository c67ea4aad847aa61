import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import packageJson from '../../package.json' with { type: 'json' }
import { until } from '../../src/lab/testing.ts'
import { accountKubeconfig } from './account.ts'
import { type Component, startComponent } from './component.ts'
import { describeWithHelm, helmFor } from './helm.ts'
import { installForeignKind } from './installed-kinds.ts'
import { freePorts } from './ports.ts'
import { useOwnControlPlane } from './use.ts'

const chart = 'charts/virtual-ingress'
const crd = 'virtualingresses.hostedcluster.densityops.com'
const manager = 'system:serviceaccount:virtual-ingress:virtual-ingress'

const program = join(import.meta.dirname, '..', '..', 'bin', 'oooi')

interface Deployment {
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly { readonly args: readonly string[] }[] } }
  }
}

/** Where the objects of Argo CD and of Flux have the values of a chart. */
interface GitOps {
  readonly source?: { readonly helm?: { readonly valuesObject?: object } }
  readonly values?: object
}

/** What the sample asks for. */
const mirroredService = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name: 'a18c2be1873b84bcd8630e79298a07cf',
    labels: {
      'cluster.x-k8s.io/tenant-service-name': 'relay',
      'cluster.x-k8s.io/tenant-service-namespace': 'apps',
    },
  },
  spec: { ports: [{ port: 80 }] },
}

const annotatedIngress = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: {
    name: 'annotated',
    annotations: {
      'virtual-ingress.hostedcluster.densityops.com/backends': JSON.stringify({
        relay: { matchLabels: mirroredService.metadata.labels },
      }),
    },
  },
  spec: { defaultBackend: { service: { name: 'relay', port: { number: 80 } } } },
}

/** As Kyverno's own chart makes it, as far as its version goes. */
function backgroundController(tag: string) {
  const labels = { 'app.kubernetes.io/component': 'background-controller', 'app.kubernetes.io/part-of': 'kyverno' }
  const image = `reg.kyverno.io/kyverno/background-controller:${tag}`
  const template = { metadata: { labels }, spec: { containers: [{ name: 'controller', image }] } }
  const metadata = { name: 'kyverno-background-controller', namespace: 'default', labels }
  const spec = { replicas: 0, selector: { matchLabels: labels }, template }
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec }
}

describeWithHelm('the chart of VirtualIngress', () => {
  const plane = useOwnControlPlane({ controllerManager: true })
  const helm = helmFor(plane, 'virtual-ingress')
  const helmOfOooi = helmFor(plane, 'oooi-system')
  const kubectl = (...args: string[]) => plane().kubectl(args)
  const template = (...args: string[]) => helm('template', 'vi', chart, '--kube-version', '1.36.4', ...args)
  const may = (verb: string, what: string, ...where: string[]) =>
    kubectl('auth', 'can-i', verb, what, '--as', manager, ...where).then(
      () => true,
      () => false,
    )

  beforeAll(async () => {
    for (const namespace of ['virtual-ingress', 'oooi-system', 'team-a', 'team-b', 'stranger']) {
      await kubectl('create', 'namespace', namespace)
    }
    await kubectl('label', 'namespace', 'virtual-ingress', 'pod-security.kubernetes.io/enforce=restricted')
  })

  it('passes the linter with either engine, and has the version of the program', async () => {
    for (const engine of ['engine=native', 'engine=kyverno,kyverno.checkInstalled=false']) {
      expect(await helm('lint', '--strict', chart, '--set', engine)).toContain('0 chart(s) failed')
    }
    const about = await readFile(`${chart}/Chart.yaml`, 'utf8')
    for (const field of ['version', 'appVersion']) expect(about).toContain(`\n${field}: ${packageJson.version}\n`)
  })

  it.each([
    ['engine=ingress', /engine/],
    ['replica=2', /replica/],
    ['errors.noMatch=Panic', /noMatch/],
    ['watch.namespaces={Team_A}', /pattern/],
    ['watch.namespaceSelector.matchLabels.a=b', /watch\.namespaces/],
    ['engine=kyverno', /needs Kyverno 1\.19\.1 or later/],
    ['engine=kyverno,kyverno.checkInstalled=false,errors.noMatch=Withdraw', /can only hold/],
    ['engine=kyverno,kyverno.checkInstalled=false,discovery.scope=Granted', /take engine=native/],
    ['engine=kyverno,kyverno.checkInstalled=false,gatewayApi.enabled=true', /Ingresses only/],
  ])('refuses %s with a sentence', async (values, sentence) => {
    await expect(template('--set', values)).rejects.toThrow(sentence)
  })

  it('refuses a Kyverno that is too old for its policies', async () => {
    for (const kind of ['GeneratingPolicy', 'MutatingPolicy']) {
      const plural = `${kind.toLowerCase().slice(0, -1)}ies`
      await installForeignKind(plane(), 'policies.kyverno.io/v1', kind, plural, 'Cluster')
    }
    const install = (...args: string[]) =>
      helm('install', 'vi', chart, '--dry-run=server', '--set', 'engine=kyverno', ...args)
    await plane().kubectl(['apply', '-f', '-'], { input: JSON.stringify(backgroundController('v1.19.0')) })
    await expect(install()).rejects.toThrow(/Deployment default\/kyverno-background-controller runs .*:v1\.19\.0/)
    expect(await install('--set', 'kyverno.checkInstalled=false')).toContain('kind: GeneratingPolicy')
    await plane().kubectl(['apply', '-f', '-'], { input: JSON.stringify(backgroundController('v1.19.1')) })
    expect(await install()).toContain('kind: GeneratingPolicy')
    await kubectl('delete', 'deployment', 'kyverno-background-controller')
  })

  it('is accepted by a real API server with every value of the native engine set', async () => {
    const values = [
      'replicas=2,logLevel=debug,priorityClassName=high,extraArgs={--x=1},imagePullSecrets[0].name=pull',
      'podLabels.a=b,podAnnotations.c=d,nodeSelector.e=f,tolerations[0].operator=Exists,image.tag=sha256:ab',
      'watch.namespaces={team-a,team-b},errors.noMatch=Unavailable,gatewayApi.enabled=true',
      'discovery.scope=Granted,annotationMode.enabled=true',
      'generated.excludeLabels={team.example.com/*,x},generated.excludeAnnotations={y},generated.nameSuffix=-made',
    ]
    const manifest = await template(...values.flatMap((value) => ['--set', value]))
    const said = await plane().kubectl(['apply', '--dry-run=server', '--server-side', '-f', '-'], { input: manifest })
    expect(said).toContain('deployment.apps/virtual-ingress serverside-applied (server dry run)')
    expect(manifest).toContain('localhost/oooi@sha256:ab')
    expect(manifest).toContain('--watch-namespaces=team-a,team-b')
  })

  it('has rights in the namespaces that it was given, and in no other', async () => {
    await helm('uninstall', 'vi', '--ignore-not-found', '--wait')
    await helm('install', 'vi', chart, '--set', 'watch.namespaces={team-a,team-b}')
    for (const namespace of ['team-a', 'team-b']) {
      await until('rights where it was asked for', async () =>
        (await may('create', 'ingresses.networking.k8s.io', '-n', namespace)) ? true : undefined,
      )
      expect(await may('list', 'services', '-n', namespace)).toBe(true)
    }
    for (const namespace of ['stranger', 'virtual-ingress']) {
      expect(await may('create', 'ingresses.networking.k8s.io', '-n', namespace)).toBe(false)
      expect(await may('list', 'services', '-n', namespace)).toBe(false)
    }
  })

  /** The manager as the Deployment would run it, here, with the rights of its account; nothing may be forbidden to it. */
  async function withManager(use: (running: Component) => Promise<void>): Promise<void> {
    const path = '/apis/apps/v1/namespaces/virtual-ingress/deployments/virtual-ingress'
    const { spec } = (await plane().request<Deployment>(path)).body.spec.template
    const [metricsPort = 0] = await freePorts(1)
    const args = spec.containers[0]?.args.filter((arg) => !arg.includes('-bind-address')) ?? []
    const here = ['--kubeconfig', await accountKubeconfig(plane(), 'virtual-ingress', 'virtual-ingress')]
    const where = [`--metrics-bind-address=127.0.0.1:${metricsPort}`, '--health-probe-bind-address=0']
    const log = join(dirname(plane().admin.kubeconfigPath), 'virtual-ingress-manager.log')
    const running = await startComponent(program, [...args, ...here, '--namespace=virtual-ingress', ...where], log)
    try {
      await use(running)
      const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
      expect(metrics.split('\n').filter((line) => /^oooi_api_calls_total.*status="403"/.test(line))).toEqual([])
    } finally {
      await running.end('SIGTERM')
    }
  }

  it('has a manager that works there with just these rights and the arguments of the chart', async () => {
    await withManager(async (running) => {
      for (const namespace of ['stranger', 'team-a']) {
        await kubectl('apply', '-n', namespace, '-f', 'config/samples/virtualingress.yaml')
        await plane().kubectl(['apply', '-n', namespace, '-f', '-'], { input: JSON.stringify(mirroredService) })
      }
      await running.until('an Ingress in team-a', async () => {
        const made = await kubectl('get', 'ingress', 'relay-generated', '-n', 'team-a', '-o', 'json').catch(() => '')
        return made.includes(mirroredService.metadata.name)
      })
      expect(await kubectl('get', 'ingresses', '-n', 'stranger', '-o', 'name')).toBe('')
      await kubectl('delete', 'virtualingresses', '--all', '-n', 'team-a', '--timeout=60s')
    })
  })

  it('gives it what plain Ingresses and other namespaces take, where they are switched on', async () => {
    await helm('upgrade', 'vi', chart, '--set', 'discovery.scope=Granted,annotationMode.enabled=true')
    await withManager(async (running) => {
      await plane().kubectl(['apply', '-n', 'team-a', '-f', '-'], { input: JSON.stringify(annotatedIngress) })
      await running.until('the Service that the Ingress names', () =>
        kubectl('get', 'service', 'relay', '-n', 'team-a').then(
          () => true,
          () => false,
        ),
      )
      await kubectl('delete', 'ingress', 'annotated', '-n', 'team-a')
      // While there is somebody who takes its Ingress away.
      await kubectl('delete', 'virtualingresses', '--all', '-n', 'stranger', '--timeout=60s')
    })
  })

  it('has them everywhere when no namespaces are given, and never more than it needs', async () => {
    await helm('upgrade', 'vi', chart, '--reset-values')
    await until('rights everywhere', async () =>
      (await may('create', 'ingresses.networking.k8s.io', '-n', 'stranger')) ? true : undefined,
    )
    expect(await may('list', 'secrets', '-A')).toBe(false)
    expect(await may('create', 'endpointslices.discovery.k8s.io', '-A')).toBe(false)
    expect(await may('list', 'httproutes.gateway.networking.k8s.io', '-A')).toBe(false)
    expect(await may('delete', crd, '-A')).toBe(false)
  })

  it('shows an example in its README that the API server takes', async () => {
    const blocks = (await readFile(`${chart}/README.md`, 'utf8')).matchAll(/^```yaml\n(apiVersion: [\s\S]*?)^```/gm)
    const ours = [...blocks].map(([, text = '']) => text).filter((text) => text.includes('kind: VirtualIngress'))
    expect(ours).toHaveLength(1)
    for (const input of ours.map((text) => text.replace('namespace: tenant-root', 'namespace: team-a'))) {
      await plane().kubectl(['create', '--dry-run=server', '--validate=strict', '-f', '-'], { input })
    }
  })

  it('shows values for GitOps tools in its README that it takes', async () => {
    const objects = [...(await readFile(`${chart}/README.md`, 'utf8')).matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(
      ([, text = '']) => parse(text),
    )
    const valuesOf = {
      Application: (spec: GitOps) => spec.source?.helm?.valuesObject,
      HelmRelease: (spec: GitOps) => spec.values,
    }
    for (const [kind, read] of Object.entries(valuesOf)) {
      const values = read(objects.find((object) => object.kind === kind).spec)
      expect(values).toBeDefined()
      const file = join(dirname(plane().admin.kubeconfigPath), `${kind}.json`)
      await writeFile(file, JSON.stringify(values))
      const manifest = await template('-f', file)
      expect(manifest).toContain('registry.example.com/oooi')
      expect(manifest).toContain('--watch-namespaces=tenant-root')
    }
  })

  it('gives a manager that Pod Security lets run', async () => {
    await until('the pod of the manager', async () => {
      const pods = await kubectl('get', 'pods', '-n', 'virtual-ingress', '-o', 'name')
      return pods.trim() || undefined
    })
  })

  it('lets people of a namespace edit VirtualIngresses, but not their status', async () => {
    const namespace = await plane().newNamespace('team')
    await kubectl('create', 'rolebinding', 'dev', '--clusterrole=edit', '--user=dev', '-n', namespace)
    const dev = (verb: string, ...what: string[]) =>
      kubectl('auth', 'can-i', verb, ...what, '--as', 'dev', '-n', namespace).then(
        () => true,
        () => false,
      )
    await until('the roles to be aggregated', async () => ((await dev('create', crd)) ? true : undefined))
    expect(await dev('patch', crd, '--subresource=status')).toBe(false)
  })

  it('leaves the kind and its objects when it is uninstalled', async () => {
    await helm('upgrade', '--install', 'vi', chart)
    await kubectl('apply', '-n', 'team-a', '-f', 'config/samples/virtualingress.yaml')
    await helm('uninstall', 'vi')
    expect(await kubectl('get', 'virtualingresses', '-n', 'team-a', '-o', 'name')).toContain('relay')
    await kubectl('delete', crd.replace(/\..*/, ''), '--all', '-n', 'team-a')
    await kubectl('delete', 'crd', crd)
  })

  it('goes together with the chart of oooi, whichever is first', async () => {
    await helm('uninstall', 'vi', '--ignore-not-found', '--wait')
    await helmOfOooi('uninstall', 'oooi', '--ignore-not-found', '--wait')
    await kubectl('delete', 'crd', crd, '--ignore-not-found')
    await helmOfOooi('install', 'oooi', 'charts/oooi')
    await expect(helm('install', 'vi', chart)).rejects.toThrow(/release oooi in oooi-system.*crds\.install=false/)
    await helm('install', 'vi', chart, '--set', 'crds.install=false')
    await helm('upgrade', 'vi', chart, '--set', 'crds.install=false')
    await helmOfOooi('upgrade', 'oooi', 'charts/oooi')
    await helm('uninstall', 'vi')
    await helmOfOooi('uninstall', 'oooi')
    await kubectl('get', 'crd', crd)
    await kubectl('delete', 'crd', crd)

    await helm('install', 'vi', chart)
    const second = ['install', 'oooi', 'charts/oooi']
    await expect(helmOfOooi(...second)).rejects.toThrow(/release vi in virtual-ingress.*virtualIngress\.crd=false/)
    await helmOfOooi(...second, '--set', 'virtualIngress.crd=false')
    await helmOfOooi('upgrade', 'oooi', 'charts/oooi', '--set', 'virtualIngress.crd=false')
    await helm('upgrade', 'vi', chart)
    await helmOfOooi('uninstall', 'oooi')
    expect(await kubectl('get', 'crd', crd, '-o', 'jsonpath={.metadata.annotations}')).toContain('"vi"')
    await helm('uninstall', 'vi')
  })
})
