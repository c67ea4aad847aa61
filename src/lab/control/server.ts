import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { close, listen } from '../../runtime/observe/server.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Machines } from '../machines.ts'
import { hasOwnKernel, type LabPlan } from '../plan.ts'
import { traceBoot } from '../trace/trace.ts'
import type { LabControl } from './control.ts'
import { Refusal } from './refusal.ts'

export const controlSocket = 'lab.sock'

/** What a lab says of itself to those who come by its socket. */
export interface LabDescription {
  readonly id: string
  readonly vms: readonly {
    readonly name: string
    readonly client: string
    readonly ownKernel: boolean
    readonly initPid?: number
  }[]
  readonly broken: readonly string[]
}

interface ServerSettings {
  readonly ledger: Ledger
  readonly plan: LabPlan
  readonly machines: Machines
  readonly control: LabControl
}

/** Lets other processes of this user break, mend and trace the lab, over a socket in its directory. */
export async function serveControl<Value>(settings: ServerSettings, use: () => Promise<Value>): Promise<Value> {
  const server = createServer((request, response) => void answer(settings, request, response))
  // A look at many machines takes longer than the patience of an ordinary server.
  server.requestTimeout = 0
  await listen(server, { path: join(settings.ledger.directory, controlSocket) })
  try {
    return await use()
  } finally {
    await close(server)
  }
}

async function answer(settings: ServerSettings, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://lab')
  const [status, body] = await respond(settings, url).then(
    (document): [number, unknown] => (document === undefined ? [404, { message: 'no such order' }] : [200, document]),
    (error: unknown): [number, unknown] => [
      error instanceof Refusal ? 409 : 500,
      { message: error instanceof Error ? error.message : String(error) },
    ],
  )
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(`${JSON.stringify(body)}\n`)
}

async function respond({ ledger, plan, machines, control }: ServerSettings, url: URL): Promise<unknown> {
  const vm = url.searchParams.get('vm') ?? undefined
  switch (url.pathname) {
    case '/lab':
      return describe(plan, machines, control)
    case '/look':
      return control.look()
    case '/break':
      return control.break(url.searchParams.get('fault') ?? '', vm)
    case '/heal':
      return control.heal()
    case '/trace':
      return control.inTurn(() => traceBoot(ledger, plan, machines, mustHave(plan, vm)))
    default:
      return undefined
  }
}

function describe(plan: LabPlan, machines: Machines, control: LabControl): LabDescription {
  const vms = plan.vms.map((vm) => {
    const { name, client } = vm
    const initPid = hasOwnKernel(vm) ? undefined : machines.initPid(name)
    return { name, client, ownKernel: hasOwnKernel(vm), ...(initPid === undefined ? {} : { initPid }) }
  })
  return { id: plan.id, vms, broken: control.broken }
}

function mustHave(plan: LabPlan, vm: string | undefined): string {
  const names = plan.vms.map(({ name }) => name)
  if (vm === undefined || !names.includes(vm)) throw new Refusal(`the lab has no VM ${vm}: it has ${names.join(', ')}`)
  return vm
}
