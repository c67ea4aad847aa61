import { type ChildProcess, spawn } from 'node:child_process'
import { Resolver } from 'node:dns/promises'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type KindName, kinds } from '../../src/api/kinds.ts'
import { apiVersion } from '../../src/api/meta.ts'
import { dhcpRole, dnsRole, proxyRole } from '../../src/core/render/object.ts'
import { renderRights } from '../../src/core/render/rights.ts'
import { until } from '../../src/lab/testing.ts'
import type { ControlPlane } from './controlplane.ts'
import { freePorts } from './ports.ts'

type Plane = Pick<ControlPlane, 'kubectl' | 'request' | 'addUser'>
type User = Awaited<ReturnType<ControlPlane['addUser']>>

/** Any object, as the witness reads it. */
export interface Seen {
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly generation: number
    readonly resourceVersion: string
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[]
    readonly managedFields?: readonly {
      readonly manager: string
      readonly subresource?: string
      readonly fieldsV1: object
    }[]
  }
  readonly spec: Readonly<Record<string, unknown>>
  readonly status?: Readonly<Record<string, unknown>>
}

/** One object of ours, as an administrator with kubectl sees and changes it. */
export class WitnessedObject {
  readonly #plane: Plane
  readonly #path: string
  readonly #collection: string
  readonly #kind: KindName

  constructor(plane: Plane, kind: KindName, namespace: string, name: string) {
    this.#plane = plane
    this.#kind = kind
    this.#collection = `/apis/${apiVersion}/namespaces/${namespace}/${kinds[kind].plural}`
    this.#path = `${this.#collection}/${name}`
  }

  async create(spec: object): Promise<void> {
    const metadata = { name: this.#path.split('/').at(-1) }
    const body = { apiVersion, kind: this.#kind, metadata, spec }
    await this.#done(this.#plane.request(this.#collection, { method: 'POST', body }))
  }

  async read(): Promise<Seen> {
    return (await this.#plane.request<Seen>(this.#path)).body
  }

  /** A JSON merge patch, of the object or of its status. */
  async patch(body: object, subresource = ''): Promise<void> {
    const contentType = 'application/merge-patch+json'
    await this.#done(this.#plane.request(`${this.#path}${subresource}`, { method: 'PATCH', contentType, body }))
  }

  async remove(): Promise<void> {
    await this.#done(this.#plane.request(this.#path, { method: 'DELETE' }))
  }

  async #done(call: Promise<{ status: number; body: unknown }>): Promise<void> {
    const { status, body } = await call
    if (status >= 300) throw new Error(`${this.#path}: ${status} ${JSON.stringify(body)}`)
  }
}

const roles = { DHCPServer: dhcpRole, DNSServer: dnsRole, ProxyServer: proxyRole } as const

/** A user with exactly the rights that a component's pod has. */
export async function podUser(plane: Plane, kind: keyof typeof roles, namespace: string, name: string): Promise<User> {
  const user = await plane.addUser(`${namespace}:${name}`)
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user.name }]
  const items = renderRights(roles[kind], { name, namespace }).map((object) =>
    object.kind === 'RoleBinding' ? { ...object, subjects } : object,
  )
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
  await plane.kubectl(['apply', '-f', '-'], { input })
  return user
}

/** `oooi dns --resource ...` as a process, the way its pod runs it. */
export class EngineProcess implements AsyncDisposable {
  readonly observeUrl: string
  readonly #args: readonly string[]
  #child: ChildProcess | undefined
  #log = ''

  private constructor(args: readonly string[], observePort: number) {
    this.#args = [...args, '--observe', `127.0.0.1:${observePort}`]
    this.observeUrl = `http://127.0.0.1:${observePort}`
  }

  /** `command` names the engine and its object: `['dns', '--resource', 'namespace/name']`. */
  static async start(command: readonly string[], user: User, stateDir: string): Promise<EngineProcess> {
    const [port = 0] = await freePorts(1)
    const common = ['--kubeconfig', user.kubeconfigPath, '--state-dir', stateDir]
    const engine = new EngineProcess([...command, ...common], port)
    engine.spawn()
    return engine
  }

  get log(): string {
    return this.#log
  }

  spawn(): void {
    const program = join(import.meta.dirname, '..', '..', 'bin', 'oooi')
    this.#log = ''
    this.#child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', program, ...this.#args], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#log += text
    })
  }

  /** What `/readyz` says: empty if nobody listens yet. */
  async ready(): Promise<string> {
    const answer = await fetch(`${this.observeUrl}/readyz`).catch(() => undefined)
    return (await answer?.text()) ?? ''
  }

  async untilReady(): Promise<void> {
    await until('ready', async () => ((await this.ready()) === 'ok\n' ? true : undefined), 30_000).catch((error) => {
      throw new Error(`${error}\n${this.#log}`)
    })
  }

  /** The value of a metric with exactly these labels as text, e.g. `oooi_status_writes_total{result="done"}`. */
  async metric(name: string): Promise<number> {
    const body = await (await fetch(`${this.observeUrl}/metrics`)).text()
    const line = body.split('\n').find((candidate) => candidate.startsWith(`${name} `))
    return Number(line?.slice(name.length + 1) ?? Number.NaN)
  }

  async status(): Promise<{ readonly problems: readonly { readonly reason: string; readonly message: string }[] }> {
    return JSON.parse(await (await fetch(`${this.observeUrl}/status`)).text())
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    // Not 'close': a program that oooi runs may have its error output open for longer.
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await ended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end('SIGKILL')
  }
}

export async function stateDirectory(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'oooi-pod-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** What a DNS server on loopback answers: the addresses, or the error's code. */
export async function ask(address: string, port: number, name: string): Promise<string> {
  const resolver = new Resolver({ timeout: 500, tries: 1 })
  resolver.setServers([`${address}:${port}`])
  return resolver.resolve4(name).then(
    (addresses) => addresses.join(),
    (error: NodeJS.ErrnoException) => error.code ?? String(error),
  )
}
