import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { apiVersion } from '../../src/api/meta.ts'
import { type Bench, startServer } from './bench.ts'
import type { RunningContender } from './harness.ts'
import { checkout } from './peers/version.ts'

/** A manifest and the engine that serves it. */
export interface EnginePlan {
  readonly engine: 'dhcp' | 'dns' | 'proxy'
  readonly kind: 'DHCPServer' | 'DNSServer' | 'ProxyServer'
  readonly spec: object
  readonly namespace: string
  readonly options?: readonly string[]
  /** What it finds in its state directory. */
  prepare?(stateDir: string): void
  /** As it is released, and not from the sources. */
  readonly bundle?: string
  isReady(pid: number): Promise<boolean>
}

/** One engine of ours as a user would start it, with a state directory of its own on the real disk. */
export function startOooi(bench: Bench, plan: EnginePlan): Promise<RunningContender> {
  const directory = join(bench.directory, `oooi-${plan.engine}`)
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory)
  const manifest = join(directory, 'manifest.yaml')
  writeFileSync(manifest, stringify({ apiVersion, kind: plan.kind, metadata: { name: 'bench' }, spec: plan.spec }))
  // A line per connection is of use, but no peer writes one here.
  const stateDir = join(directory, 'state')
  const files = ['--config', manifest, '--state-dir', stateDir, '--log-level', 'warn']
  plan.prepare?.(stateDir)
  const program = plan.bundle === undefined ? [join(checkout, 'bin', 'oooi')] : [process.execPath, plan.bundle]
  return startServer(bench, {
    what: `oooi-${plan.engine}`,
    namespace: plan.namespace,
    command: [...program, plan.engine, ...files, ...(plan.options ?? [])],
    isReady: plan.isReady,
  })
}
