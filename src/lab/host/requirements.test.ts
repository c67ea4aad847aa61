import { expect, it } from 'vitest'
import { checkHost } from './requirements.ts'
import { findTool, missingPackages } from './tools.ts'

it('an ordinary user is told what to do', () => {
  const result = checkHost(1000)
  const [problem] = result.ok ? [] : result.problems
  expect(problem?.reason).toBe('LabNotPossible')
  expect(problem?.message).toContain('sudo bin/oooi lab')
})

it('packages of missing programs are named once each', () => {
  expect(
    missingPackages([
      { command: 'sh', package: 'dash' },
      { command: 'no-such-program', package: 'nothing' },
      { command: 'no-such-program-either', package: 'nothing' },
    ]),
  ).toEqual(['nothing'])
  expect(findTool('sh')).toMatch(/\/sh$/)
})
