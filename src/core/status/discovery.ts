import type { Finding } from '../discover/checks.ts'
import { type Statement, statementsAbout } from './statement.ts'

/** Whether machines of a hosted cluster will find its control plane. What is merely odd is told beside it. */
export function discoveredStatement(generation: number, findings: readonly Finding[]): Statement {
  const { holds, fails } = statementsAbout(generation)
  const [first] = findings.filter(({ isWarning }) => !isWarning)
  const told = findings.map(({ message }) => message).join('; ')
  return first ? fails('EndpointsDiscovered', first.reason, told) : holds('EndpointsDiscovered', 'Discovered', told)
}
