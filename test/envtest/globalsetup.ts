import { createServer, type Server } from 'node:net'
import type { TestProject } from 'vitest/node'
import type { Address } from '../../src/lab/kubernetes/access/access.ts'
import { type ControlPlane, startControlPlane } from './controlplane.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The loopback port on which the address of the shared control plane is told. */
    readonly sharedControlPlanePort: number
  }
}

export type AddressAnswer = { readonly address: Address } | { readonly error: string }

let server: Server | undefined
let shared: Promise<ControlPlane> | undefined

/**
 * Test files run in processes of their own, so what they share must live in the process that starts them. The control
 * plane is started when the first file asks: a run in which none does costs nothing.
 */
export async function setup(project: Pick<TestProject, 'provide'>): Promise<void> {
  const broker = createServer((socket) => {
    socket.on('error', () => {})
    shared ??= startControlPlane({ controllerManager: true })
    shared.then(
      ({ address }) => socket.end(answer({ address })),
      (error: unknown) => socket.end(answer({ error: String(error) })),
    )
  })
  await new Promise<void>((resolve) => broker.listen(0, '127.0.0.1', resolve))
  server = broker
  const listening = broker.address()
  if (listening && typeof listening === 'object') project.provide('sharedControlPlanePort', listening.port)
}

export async function teardown(): Promise<void> {
  server?.close()
  const plane = await shared?.catch(() => undefined)
  shared = undefined
  await plane?.stop()
}

function answer(value: AddressAnswer): string {
  return JSON.stringify(value)
}
