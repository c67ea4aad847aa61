import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeFailure, decodeJson, decodeList, decodeObject, parseRetryAfterMs } from './answer.ts'
import { ApiError, isGone, isHopeless, isKindMissing, isObjectMissing } from './error.ts'
import { configMap } from './kinds.ts'
import { decodeEvent } from './watch.ts'

const call = { method: 'GET', url: 'https://server:6443/api/v1/namespaces/default/configmaps/a' }
const good = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'default', uid: 'u', resourceVersion: '7' },
}

/** Runs a decoder and returns its ApiError; anything else that is thrown fails the test. */
function errorOf(decode: () => unknown): ApiError | undefined {
  try {
    decode()
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

describe('whatever comes', () => {
  const nearly = fc.oneof(
    fc.string(),
    fc.json(),
    fc.jsonValue().map((value) => JSON.stringify({ ...good, metadata: value })),
  )

  test('is an object or an ApiError that names the call', () => {
    fc.assert(
      fc.property(nearly, (text) => {
        const error = errorOf(() => decodeObject(call, configMap, decodeJson(call, 200, text), text))
        expect(error === undefined || error.message.includes(call.url)).toBe(true)
      }),
    )
  })

  test('is a list or an ApiError', () => {
    const list = fc.record({ items: fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue())), metadata: fc.jsonValue() })
    fc.assert(
      fc.property(
        fc.oneof(
          nearly,
          list.map((value) => JSON.stringify(value)),
        ),
        (text) => {
          errorOf(() => decodeList(call, configMap, text))
        },
      ),
    )
  })

  test('is a watch event or an ApiError', () => {
    const type = fc.oneof(fc.constantFrom('ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'), fc.jsonValue())
    const event = fc.record({ type, object: fc.oneof(fc.jsonValue(), fc.constant(good)) })
    fc.assert(
      fc.property(
        fc.oneof(
          nearly,
          event.map((value) => JSON.stringify(value)),
        ),
        (line) => {
          errorOf(() => decodeEvent(call, configMap, line))
        },
      ),
    )
  })

  test('is a failure with a sensible status', () => {
    fc.assert(
      fc.property(fc.integer({ min: 300, max: 599 }), nearly, (status, text) => {
        expect(decodeFailure(call, status, text)).toMatchObject({ status, method: 'GET', url: call.url })
      }),
    )
  })
})

test('items of a list get the apiVersion and kind that lists leave out', () => {
  const text = JSON.stringify({
    metadata: { resourceVersion: '9', continue: '' },
    items: [{ metadata: good.metadata }],
  })
  expect(decodeList(call, configMap, text)).toEqual({ items: [good], resourceVersion: '9', continueToken: undefined })
})

test('a resourceVersion beyond 2^53 is kept as it is', () => {
  const resourceVersion = '9007199254740993000001'
  const text = JSON.stringify({ ...good, metadata: { ...good.metadata, resourceVersion } })
  expect(decodeObject(call, configMap, decodeJson(call, 200, text), text).metadata.resourceVersion).toBe(
    resourceVersion,
  )
})

test.each([
  ['labels', { labels: 'x' }],
  ['finalizers', { finalizers: [1] }],
  ['owners', { ownerReferences: [{ kind: 'X' }] }],
  ['no uid', { uid: undefined }],
  ['no namespace', { namespace: undefined }],
])('an object with bad metadata (%s) is refused', (_name, metadata) => {
  const object = { ...good, metadata: { ...good.metadata, ...metadata } }
  expect(errorOf(() => decodeObject(call, configMap, object, ''))?.reason).toBe('Malformed')
})

test('what is not understood is shown, on one line and not at length', () => {
  const error = decodeFailure(call, 502, `<html>\n${'x'.repeat(1000)}`)
  expect(error.message).toContain('answered 502 ServerError')
  expect(error.message).toContain('the body begins: "<html>\\nxxx')
  expect(error.message.length).toBeLessThan(500)
})

test('the contents of Secrets are never shown', () => {
  const secrets = { method: 'GET', url: 'https://server/api/v1/secrets?limit=500' }
  expect(errorOf(() => decodeJson(secrets, 200, '{"data":{"password":"c2VjcmV0'))?.message).not.toContain('c2VjcmV0')
})

describe('failures', () => {
  const status = (fields: object): string => JSON.stringify({ kind: 'Status', status: 'Failure', ...fields })

  test('a missing object and a missing kind are told apart', () => {
    const object = decodeFailure(call, 404, status({ reason: 'NotFound', details: { name: 'a' } }))
    const kind = decodeFailure(call, 404, '404 page not found\n')
    expect([isObjectMissing(object), isKindMissing(object)]).toEqual([true, false])
    expect([isObjectMissing(kind), isKindMissing(kind)]).toEqual([false, true])
  })

  test('410 is known as status and inside a watch', () => {
    const inStream = errorOf(() =>
      decodeEvent(call, configMap, JSON.stringify({ type: 'ERROR', object: { code: 410 } })),
    )
    expect([isGone(decodeFailure(call, 410, '')), isGone(inStream)]).toEqual([true, true])
  })

  test('a field that the kind does not have is hopeless although the server says 500', () => {
    const unknownField = status({
      message: 'failed to create typed patch object: .spec.foo: field not declared in schema',
    })
    expect(isHopeless(decodeFailure(call, 500, unknownField))).toBe(true)
    expect(isHopeless(decodeFailure(call, 500, status({ message: 'etcdserver: request timed out' })))).toBe(false)
    expect(isHopeless(decodeFailure(call, 422, status({ reason: 'Invalid' })))).toBe(false)
  })

  test('Retry-After', () => {
    expect(['1', '30', 'Wed, 21 Oct 2026 07:28:00 GMT', undefined, '-1', '9999999'].map(parseRetryAfterMs)).toEqual([
      1000,
      30_000,
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })
})
