import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startProcess } from '../host/process.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { inNamespace } from '../network/build.ts'
import { type LabPlan, namespaceOf } from '../plan.ts'
import { makeCertificates } from './certificates.ts'
import { type Service, type ServiceOrder, servingLine } from './service.ts'
import { appsServices, controlPlaneCertificates, controlPlaneServices } from './services.ts'

export function certificateDirectory(ledger: Ledger): string {
  return join(ledger.directory, 'certificates')
}

export async function makeLabCertificates(ledger: Ledger, plan: LabPlan): Promise<void> {
  mkdirSync(certificateDirectory(ledger), { mode: 0o700 })
  await makeCertificates(certificateDirectory(ledger), controlPlaneCertificates(plan))
}

/** The servers of the hosted cluster, which can be taken away and put back by name. */
export interface HostedControlPlane {
  order(order: ServiceOrder): Promise<void>
}

/** Both sides of the hosted cluster, each in its namespace; returns when they listen. */
export async function startControlPlane(ledger: Ledger, plan: LabPlan): Promise<HostedControlPlane> {
  const certificates = certificateDirectory(ledger)
  const [control] = await Promise.all([
    startServices(ledger, 'control', controlPlaneServices(plan, certificates)),
    startServices(ledger, 'apps', appsServices(plan, certificates)),
  ])
  return control
}

/** The servers of one namespace of the lab, in a process of their own; returns when they listen. `told` gets what they say. */
export async function startServices(
  ledger: Ledger,
  what: string,
  services: readonly Service[],
  told: (line: string) => void = () => {},
): Promise<HostedControlPlane> {
  const file = join(ledger.directory, `${what}.json`)
  writeFileSync(file, JSON.stringify(services))
  const serving = Promise.withResolvers<void>()
  const obeyed = new Map<string, () => void>()
  const program = join(import.meta.dirname, 'main.ts')
  const running = startProcess(ledger, {
    what,
    command: inNamespace(namespaceOf(ledger, what), [process.execPath, program, file]),
    logFile: join(ledger.directory, `${what}.log`),
    onLine: (line) => {
      if (line === servingLine) serving.resolve()
      obeyed.get(line)?.()
      told(line)
    },
    graceMs: 0,
  })
  const failure = running.ended.then((why) => {
    throw new Error(`the lab's ${what} servers ended (${why}): ${running.tail().join(' | ')}`)
  })
  await Promise.race([serving.promise, failure])
  // Its later end is the lab's own doing.
  failure.catch(() => {})
  return {
    order: async (order) => {
      const done = Promise.withResolvers<void>()
      obeyed.set(order, done.resolve)
      running.write(order)
      await Promise.race([done.promise, failure])
    },
  }
}
