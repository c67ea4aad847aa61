import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aliasFor, servicesTold } from './annotated-alias.ts'
import { selectionDefaults } from './resolve.ts'
import { ServiceIndex } from './service-index.ts'

const ingress = {
  metadata: { name: 'shop', namespace: 'n' },
  spec: { defaultBackend: { service: { name: 'web', port: { number: 8080 } } } },
}

function told(
  services: readonly { readonly name: string; readonly namespace?: string; readonly port?: number }[],
  wanted: { readonly namespace?: string } = {},
  permits?: () => boolean,
) {
  const index = new ServiceIndex()
  for (const { name, namespace = 'n', port = 8080 } of services) {
    const common = { uid: '', createdAt: '2026', isTerminating: false, labels: { app: 'web' } }
    index.put({ ...common, namespace, name, ports: [{ port }] })
  }
  const world = { services: index, isReady: () => true, permits }
  const options = { selection: selectionDefaults, current: undefined }
  return aliasFor(ingress, 'web', { matchLabels: { app: 'web' }, ...wanted }, world, options).told
}

describe('the alias that an annotated Ingress asks for', () => {
  test('leads to the one Service that has the labels, never to itself', () => {
    expect(told([{ name: 'web' }, { name: 'web-1' }])).toEqual({ state: 'Resolved', service: 'web-1' })
  })

  test('is said to lack a port that the Ingress names', () => {
    expect(told([{ name: 'web-1', port: 80 }])).toMatchObject({ state: 'PortNotFound', service: 'web-1' })
  })

  test('leads into another namespace only where that permits it', () => {
    const elsewhere = [{ name: 'web', namespace: 'other' }]
    expect(told(elsewhere, { namespace: 'other' })).toEqual({ state: 'NotPermitted' })
    expect(told(elsewhere, { namespace: 'other' }, () => false)).toEqual({ state: 'NotPermitted' })
    expect(told(elsewhere, { namespace: 'other' }, () => true)).toEqual({ state: 'Resolved', service: 'web' })
  })
})

describe('what our annotation told before', () => {
  test('is read, and the rest of it passed over', () => {
    const text = JSON.stringify({ web: { state: 'Resolved', service: 'web-1' }, api: { service: 7 }, error: 'x' })
    expect([...servicesTold(text)]).toEqual([['web', 'web-1']])
  })

  test('may be anything', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => servicesTold(text).size >= 0))
  })
})
