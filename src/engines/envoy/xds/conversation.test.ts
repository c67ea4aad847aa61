import { expect, it } from 'vitest'
import { Conversation } from './conversation.ts'
import { DeltaChannel } from './delta-channel.ts'
import type { DeltaRequest, DeltaResponse } from './discovery.ts'
import { type Resource, type ResourceKind, type Snapshot, typeUrlOf } from './snapshot.ts'

/** An Envoy as the protocol sees it: it subscribes, and accepts or rejects what it is told. */
class PretendedEnvoy {
  readonly told: string[] = []
  readonly snapshotVersions: Partial<Record<ResourceKind, Record<string, string>>>
  readonly #conversation: Conversation<DeltaRequest>
  readonly #unanswered: DeltaResponse[] = []
  #nonce = 0

  constructor(snapshotVersions: Partial<Record<ResourceKind, Record<string, string>>> = {}) {
    this.snapshotVersions = snapshotVersions
    const send = (response: DeltaResponse) => {
      const kind = response.typeUrl.split('.').at(-1)
      const names = response.resources.map(({ name, version }) => `${name}@${version}`)
      this.told.push([kind, ...names, ...response.removedResources.map((name) => `-${name}`)].join(' '))
      this.#unanswered.push(response)
    }
    const nextNonce = () => String(++this.#nonce)
    this.#conversation = new Conversation({
      clusters: new DeltaChannel('clusters', send, nextNonce),
      endpoints: new DeltaChannel('endpoints', send, nextNonce),
      listeners: new DeltaChannel('listeners', send, nextNonce),
    })
  }

  get conversation(): Conversation<DeltaRequest> {
    return this.#conversation
  }

  ask(kind: ResourceKind, more: Partial<DeltaRequest> = {}): void {
    this.#conversation.receive({
      typeUrl: typeUrlOf(kind),
      responseNonce: '',
      resourceNamesSubscribe: [],
      resourceNamesUnsubscribe: [],
      initialResourceVersions: this.snapshotVersions[kind] ?? {},
      ...more,
    })
  }

  /** Answers the oldest response, and asks for the endpoints of new clusters as Envoy does. */
  answer(rejection?: string): void {
    const response = this.#unanswered.shift()
    if (!response) throw new Error('nothing to answer')
    const clusters = response.typeUrl === typeUrlOf('clusters') && !rejection ? response.resources : []
    const names = clusters.map(({ name }) => name)
    if (names.length > 0) this.ask('endpoints', { resourceNamesSubscribe: names })
    this.#conversation.receive({
      typeUrl: response.typeUrl,
      responseNonce: response.nonce,
      resourceNamesSubscribe: [],
      resourceNamesUnsubscribe: [],
      initialResourceVersions: {},
      ...(rejection === undefined ? {} : { errorDetail: { code: 13, message: rejection } }),
    })
  }

  answerAll(): void {
    while (this.#unanswered.length > 0) this.answer()
  }

  takeTold(): string[] {
    return this.told.splice(0)
  }
}

function snapshot(versions: Record<ResourceKind, Record<string, string>>): Snapshot {
  const set = (kind: ResourceKind) =>
    new Map(
      Object.entries(versions[kind]).map(([name, version]): [string, Resource] => [
        name,
        { name, version, bytes: new Uint8Array() },
      ]),
    )
  return { clusters: set('clusters'), endpoints: set('endpoints'), listeners: set('listeners') }
}

const first = snapshot({ clusters: { a: '1' }, endpoints: { a: '1' }, listeners: { l: '1' } })

function connected(serving = first): PretendedEnvoy {
  const envoy = new PretendedEnvoy()
  envoy.conversation.serve(serving)
  envoy.ask('clusters')
  envoy.ask('listeners')
  return envoy
}

it('makes before it breaks: clusters, endpoints, listeners, and only then are old clusters removed', () => {
  const envoy = connected()
  envoy.answerAll()
  expect(envoy.takeTold()).toEqual(['Cluster a@1', 'ClusterLoadAssignment a@1', 'Listener l@1'])
  expect(envoy.conversation.isConverged).toBe(true)

  envoy.conversation.serve(snapshot({ clusters: { b: '1' }, endpoints: { b: '1' }, listeners: { l: '2' } }))
  expect(envoy.conversation.isConverged).toBe(false)
  envoy.answerAll()
  expect(envoy.takeTold()).toEqual(['Cluster b@1', 'ClusterLoadAssignment b@1', 'Listener l@2', 'Cluster -a'])
  expect(envoy.conversation.isConverged).toBe(true)
})

it('tells the endpoints of a changed cluster again, or Envoy would wait for them for ever', () => {
  const envoy = connected()
  envoy.answerAll()
  envoy.takeTold()
  envoy.conversation.serve(snapshot({ clusters: { a: '2' }, endpoints: { a: '1' }, listeners: { l: '1' } }))
  envoy.answerAll()
  expect(envoy.takeTold().slice(0, 2)).toEqual(['Cluster a@2', 'ClusterLoadAssignment a@1'])
  expect(envoy.conversation.isConverged).toBe(true)
})

it('finds the bad one of several, tells the good ones again, and the bad one no more until it changes', () => {
  const serving = snapshot({ clusters: {}, endpoints: {}, listeners: { bad: '1', good: '1' } })
  const envoy = connected(serving)
  envoy.answer()
  envoy.answer('one of them is bad')
  expect(envoy.takeTold()).toEqual(['Cluster', 'Listener bad@1 good@1', 'Listener bad@1', 'Listener good@1'])
  envoy.answer('bad is bad')
  envoy.answer()
  expect(envoy.takeTold()).toEqual([])
  expect(envoy.conversation.rejections).toEqual([{ kind: 'listeners', name: 'bad', text: 'bad is bad' }])
  expect(envoy.conversation.isConverged).toBe(true)

  envoy.conversation.serve(serving)
  expect(envoy.takeTold()).toEqual([])
  envoy.conversation.serve(snapshot({ clusters: {}, endpoints: {}, listeners: { bad: '2', good: '1' } }))
  expect(envoy.takeTold()).toEqual(['Listener bad@2'])
  envoy.answer()
  expect(envoy.conversation.rejections).toEqual([])
})

it('says nothing new to an Envoy that has everything from an earlier stream', () => {
  const envoy = new PretendedEnvoy({ clusters: { a: '1' }, endpoints: { a: '1' }, listeners: { l: '1', orphan: '1' } })
  envoy.conversation.serve(first)
  envoy.ask('clusters')
  envoy.ask('endpoints', { resourceNamesSubscribe: ['a'] })
  envoy.ask('listeners')
  envoy.answerAll()
  expect(envoy.takeTold()).toEqual(['Cluster', 'Listener -orphan'])
  expect(envoy.conversation.isConverged).toBe(true)
})

it('ignores answers to what it never sent', () => {
  const envoy = connected()
  envoy.ask('clusters', { responseNonce: '999', errorDetail: { code: 13, message: 'stale' } })
  expect(envoy.conversation.rejections).toEqual([])
})
