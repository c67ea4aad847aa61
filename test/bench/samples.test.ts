import { expect, it } from 'vitest'
import { median, percentile, rotate, rowsOf, type Sample } from './samples.ts'

function sample(perSecond: number, cpuMicrosecondsPerOperation?: number): Sample {
  return {
    perSecond,
    lostShare: 0,
    foreignCores: 0,
    ...(cpuMicrosecondsPerOperation !== undefined && { cpuMicrosecondsPerOperation }),
  }
}

it('the median is the middle one, or the mean of the two in the middle', () => {
  expect(median([3, 1, 2])).toBe(2)
  expect(median([4, 1, 3, 2])).toBe(2.5)
  expect(median([7])).toBe(7)
})

it('what is no number does not count; of nothing there is no median', () => {
  expect(median([Number.NaN, 5])).toBe(5)
  expect(median([])).toBeNaN()
})

it('rotation lets everybody begin in turn', () => {
  expect([0, 1, 2, 3].map((round) => rotate(['a', 'b', 'c'], round).join(''))).toEqual(['abc', 'bca', 'cab', 'abc'])
  expect(rotate([], 3)).toEqual([])
})

it('ratios are taken round by round, so a slow round of the machine cancels out', () => {
  const [ours, peer] = rowsOf({
    name: 'queries',
    unit: 'queries',
    contenders: [
      { name: 'oooi', samples: [sample(200, 5), sample(20, 50), sample(220, 5)] },
      { name: 'peer', samples: [sample(100, 10), sample(10, 100), sample(110, 10)] },
    ],
  })
  expect(ours).toMatchObject({ contender: 'oooi', perSecond: 200, best: 220 })
  expect(ours).not.toHaveProperty('rateRatio')
  expect(peer).toMatchObject({ perSecond: 100, rateRatio: 2, cpuRatio: 0.5 })
})

it('a contender without a process of its own has no CPU to compare', () => {
  const [, direct] = rowsOf({
    name: 'echo',
    unit: 'messages',
    contenders: [
      { name: 'oooi', samples: [sample(50, 10)] },
      { name: 'direct', samples: [sample(100)] },
    ],
  })
  expect(direct?.rateRatio).toBe(0.5)
  expect(direct?.cpuRatio).toBeNaN()
})

it('a percentile is one of the values', () => {
  const values = [30, 10, 20, 40]
  expect([0, 0.5, 0.75, 0.99, 1].map((share) => percentile(values, share))).toEqual([10, 20, 30, 40, 40])
  expect(percentile([], 0.5)).toBeNaN()
})
