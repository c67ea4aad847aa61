import { describe, expect, test } from 'vitest'
import { microTimestamp, secondsTimestamp } from './timestamp.ts'

describe('timestamps', () => {
  const moment = Date.UTC(2026, 10, 15, 6, 7, 8, 9)

  test('of conditions have whole seconds', () => {
    expect(secondsTimestamp(moment)).toBe('2026-11-15T06:07:08Z')
  })

  test('of leases and events have exactly six fractional digits', () => {
    expect(microTimestamp(moment)).toBe('2026-11-15T06:07:08.009000Z')
    expect(microTimestamp(moment + 0.25)).toBe('2026-11-15T06:07:08.009250Z')
    expect(microTimestamp(Date.UTC(2026, 0, 1))).toBe('2026-01-01T00:00:00.000000Z')
  })
})
