import type { Reason } from '../../api/reasons.ts'
import type { Problem } from '../result.ts'
import type { EngineVerdict, StatedCondition } from './engine.ts'
import { type Statement, statementsAbout } from './statement.ts'

export interface BackendHealth {
  readonly name: string
  readonly endpoints: number
  /** Targets whose last connection succeeded. */
  readonly healthy: number
  /** Targets that no connection was tried to yet. */
  readonly untried: number
  readonly lastError?: string
}

/** No target of it took the last connection. What no client has needed yet is not known, and no problem. */
export function isUnreachable({ endpoints, healthy, untried, lastError }: BackendHealth): boolean {
  return endpoints > 0 && healthy + untried === 0 && lastError !== undefined
}

/** What a proxy engine says of itself, whichever it is. */
export interface ProxyReport {
  /** Of an engine that has to tell another program what to do: has it taken all of it? */
  readonly programmed?: boolean
  readonly backends: readonly BackendHealth[]
  readonly problems: readonly Problem[]
}

const programmedType = 'Programmed'
const healthyType = 'BackendsHealthy'

const notProgrammed: readonly Reason[] = ['EnvoyRejected', 'EnvoyNotConnected']

export function proxyStatements(report: ProxyReport, generation: number): Statement[] {
  return [programmed(report, generation), backendsHealthy(report, generation)]
}

function programmed({ programmed: isProgrammed = true, problems }: ProxyReport, generation: number): Statement {
  const { holds, fails, isUnknown } = statementsAbout(generation)
  const [first, ...rest] = problems.filter(({ reason }) => notProgrammed.includes(reason))
  if (first) return fails(programmedType, first.reason, [first, ...rest].map(({ message }) => message).join('; '))
  if (isProgrammed) return holds(programmedType, 'Programmed', '')
  return isUnknown(programmedType, 'NotServing', 'Envoy has not confirmed the newest configuration yet')
}

function backendsHealthy({ backends }: ProxyReport, generation: number): Statement {
  const { holds, fails } = statementsAbout(generation)
  const bad = backends.filter(isUnreachable)
  if (bad.length === 0) return holds(healthyType, 'Healthy', '')
  const told = bad.map(({ name, lastError }) => `${name}: ${lastError}`).join('; ')
  const isAll = bad.length === backends.filter(({ endpoints }) => endpoints > 0).length
  return fails(healthyType, isAll ? 'NoBackendReachable' : 'BackendUnreachable', told)
}

/** What the engine's conditions mean for Ready: without a program or without any backend there is no proxy. */
export function proxyVerdict(generation: number, conditions: readonly StatedCondition[] | undefined): EngineVerdict {
  const { fails } = statementsAbout(generation)
  const [unprogrammed, unhealthy] = [programmedType, healthyType].map((type) =>
    conditions?.find((condition) => condition.type === type && condition.status === 'False'),
  )
  const reason = notProgrammed.find((candidate) => candidate === unprogrammed?.reason)
  const needed = reason && unprogrammed && fails(programmedType, reason, unprogrammed.message)
  if (unhealthy === undefined) return { needed, remark: '' }
  if (needed || unhealthy.reason !== 'NoBackendReachable')
    return { needed, remark: `unreachable: ${unhealthy.message}` }
  return { needed: fails(healthyType, 'NoBackendReachable', unhealthy.message), remark: '' }
}
