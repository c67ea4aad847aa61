import { expect, it } from 'vitest'
import { checkRoot } from './requirements.ts'
import { findTool, missingPackages } from './tools.ts'

it('an ordinary user who wants a Kubernetes is told what to do', () => {
  expect(checkRoot(0).ok).toBe(true)
  const result = checkRoot(1000)
  const [problem] = result.ok ? [] : result.problems
  expect(problem?.reason).toBe('LabNotPossible')
  expect(problem?.message).toContain('sudo bin/oooi lab-cluster')
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
