import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ipv4, timestamp } from '../fields.ts'
import { structuralSchema } from './structural.ts'

function converted(field: z.ZodType, part: 'spec' | 'status' = 'spec') {
  return structuralSchema(z.strictObject({ field }), part).properties?.field
}

describe('what a CRD can say', () => {
  test('numbers have the size they need', () => {
    expect(converted(z.int().min(1).max(65_535))).toEqual({
      type: 'integer',
      format: 'int32',
      minimum: 1,
      maximum: 65_535,
    })
    expect(converted(z.int().min(0))).toEqual({ type: 'integer', format: 'int64', minimum: 0 })
    expect(converted(z.int())).toEqual({ type: 'integer', format: 'int64' })
  })

  test('a text in a spec is checked by an expression with a message, in a status by its pattern', () => {
    expect(converted(ipv4, 'spec')).toEqual({
      type: 'string',
      maxLength: 15,
      'x-kubernetes-validations': [
        { rule: 'isIP(self) && ip(self).family() == 4', message: 'must be an IPv4 address such as 192.168.100.2' },
      ],
    })
    expect(converted(ipv4, 'status')).toMatchObject({ type: 'string', maxLength: 15, pattern: expect.any(String) })
    expect(converted(ipv4, 'status')).not.toHaveProperty('x-kubernetes-validations')
    expect(converted(timestamp, 'status')).toMatchObject({ format: 'date-time' })
  })

  test('defaults, descriptions and required fields stay; unknown fields are the API server’s business', () => {
    const inner = z.strictObject({ on: z.boolean().default(true).describe('On.'), name: z.string().max(5) })
    expect(converted(inner.prefault({ name: 'x' }).describe('Inner.'))).toEqual({
      type: 'object',
      description: 'Inner.',
      default: { name: 'x' },
      required: ['name'],
      properties: {
        on: { type: 'boolean', default: true, description: 'On.' },
        name: { type: 'string', maxLength: 5 },
      },
    })
  })
})

describe('what would be lost or refused there is refused here', () => {
  test.each([
    ['a text without bound', z.string(), 'spec.field cannot be part of a CRD: a text needs a longest length'],
    ['a list without bound', z.array(z.boolean()), 'a list needs a longest length'],
    ['a map without bound', z.record(z.string(), z.boolean()), 'a map needs a largest size'],
    ['two types', z.union([z.string().max(1), z.int()]), 'it needs exactly one type'],
    ['no type', z.unknown(), 'it needs exactly one type'],
    ['null', z.boolean().nullable(), 'a CRD has no nullable'],
    ['unknown fields', z.object({ a: z.boolean() }), 'its fields must be known'],
    ['fields and a map at once', z.looseObject({ a: z.boolean() }), 'it is a map and has fields'],
    ['a pattern that looks ahead', z.string().max(9).meta({ pattern: '^(?=a)' }), 'RE2 has no such pattern'],
    ['a pattern that looks back', z.string().max(9).meta({ pattern: '(a)\\1' }), 'RE2 has no such pattern'],
    ['a keyword of another kind of schema', z.int().multipleOf(5), 'a CRD has no multipleOf'],
    ['a validation without message', z.int().meta({ 'x-kubernetes-validations': [{ rule: 'x' }] }), 'malformed'],
  ])('%s', (_, field, message) => {
    expect(() => converted(field)).toThrow(message)
  })

  test('a schema that contains itself', () => {
    interface Tree {
      children: Tree[]
    }
    const tree: z.ZodType<Tree> = z.lazy(() => z.strictObject({ children: z.array(tree).max(2) }))
    expect(() => converted(tree)).toThrow('cannot be part of a CRD')
  })
})
