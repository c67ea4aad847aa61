import { expect, it } from 'vitest'
import type { Cluster } from '../../../src/lab/kubernetes/cluster.ts'
import { until } from '../../../src/lab/testing.ts'
import { Tenant } from './tenant.ts'
import { type Conversation, type Door, Visitor } from './visitor.ts'
import { host, namespace, tenantNamespace, virtualIngress } from './world.ts'

interface Way {
  readonly cluster: () => Cluster
  readonly door: () => Door
  /** What a VirtualIngress for this way says beside its rules. */
  readonly spec: object
  /** What is made of it, for `kubectl get`. */
  readonly generated: string
}

/**
 * HTTP, TLS and WebSocket reach the Service that has the labels; it goes away and comes back under another name, with other
 * pods behind it. Who talks goes on talking, who comes next reaches the new one.
 */
export function describeJourney({ cluster, door, spec, generated }: Way): void {
  let tenant: Tenant
  let mirror = ''
  let visitor: Visitor
  let conversation: Conversation
  let uid = ''
  const uidOfGenerated = () => cluster().kubectl(['get', generated, '-n', namespace, '-o', 'jsonpath={.metadata.uid}'])
  const answersFrom = (backend: string, scheme: 'http' | 'https') =>
    until(`${scheme} from ${backend}`, async () => {
      const answer = await visitor.ask(scheme).catch(() => undefined)
      return answer === backend ? true : undefined
    })

  it('waits for a Service nobody knows the name of, and says so', async () => {
    tenant = new Tenant(cluster(), { name: 'relay', tenantNamespace, namespace })
    visitor = new Visitor(door(), host)
    await cluster().apply([virtualIngress(tenant.labels, spec)])
    await cluster().waitFor('virtualingress/relay', 'condition=Ready=False', namespace)
    expect(await visitor.ask('http').catch(() => undefined)).toBeUndefined()
  })

  it('leads to it when the tenant has made it: HTTP, TLS, WebSocket', async () => {
    mirror = await tenant.create('blue')
    await cluster().waitFor('virtualingress/relay', 'condition=Ready', namespace)
    await answersFrom('blue', 'http')
    await answersFrom('blue', 'https')
    conversation = await visitor.connect()
    for (const text of ['one', 'two', 'three']) expect(await conversation.say(text)).toBe(`blue: ${text}`)
    uid = await uidOfGenerated()
  })

  it('keeps what is open, and leads the next to the new one, when it comes back under another name', async () => {
    await tenant.remove(mirror)
    expect(await conversation.say('without a Service')).toBe('blue: without a Service')
    const next = await tenant.create('green')
    expect(next).not.toBe(mirror)
    await answersFrom('green', 'http')
    await answersFrom('green', 'https')
    expect(conversation.isOpen).toBe(true)
    expect(await conversation.say('still here')).toBe('blue: still here')
    const second = await visitor.connect()
    expect(await second.say('hello')).toBe('green: hello')
    expect(await uidOfGenerated()).toBe(uid)
    mirror = next
    for (const open of [conversation, second]) open.close()
    await visitor[Symbol.asyncDispose]()
  })

  it('takes the route away with the VirtualIngress', async () => {
    await cluster().kubectl(['delete', 'virtualingress', 'relay', '-n', namespace, '--timeout=60s'])
    await expect(uidOfGenerated()).rejects.toThrow(/not found/i)
  })
}
