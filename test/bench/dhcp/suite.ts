import { join } from 'node:path'
import { run } from '../../../src/lab/host/command.ts'
import { findTool } from '../../../src/lab/host/tools.ts'
import { type Bench, runLoad, type Suite, type SuiteResult } from '../bench.ts'
import { type Contender, type Outcome, type RunningContender, runPlan } from '../harness.ts'
import { compile, compiler } from '../peers/compile.ts'
import { bring } from '../peers/packages.ts'
import { checkout, ownVersion, versionOf } from '../peers/version.ts'
import { climb } from './ladder.ts'
import { address, makeDhcpNetwork } from './network.ts'
import { type DhcpResult, parsePerfdhcp, perfdhcpCommand } from './perfdhcp.ts'
import { restart, restartLeases, writeKeaLeases, writeOwnLeases } from './restart.ts'
import { startKea, startOurs } from './servers.ts'

const method = `perfdhcp as a relay agent: every client is new and asks once, unicast, for a whole exchange (discover, offer, request,
acknowledgement). A pool of a million addresses, the same options in the answers, the same 4 MiB receive buffer on both
sides. Each sample gets a fresh server that has served 4,000 clients to warm up. Ours syncs every lease to the disk
before it is acknowledged; Kea (UDP sockets, one thread, leases in a file) writes and never syncs. "without a drop"
is the highest rate at which nothing is lost and answers take 50 ms on average at most, searched anew in each round. An
address that is given twice ends the run. A restart is from the start of the process (ours as released) until
it listens, with ${restartLeases} leases in its file.`

/** A search has about ten rungs, so each is a part of a sample's time. */
const rungShare = 0.6

interface DhcpContender extends Contender {
  readonly address: string
}

export const dhcpSuite: Suite = {
  name: 'dhcp',
  about: 'whole exchanges through a relay, leases synced: beside Kea',
  async run(bench: Bench): Promise<SuiteResult> {
    const tools = [
      { command: 'perfdhcp', package: 'kea-admin' },
      { command: 'kea-dhcp4', package: 'kea-dhcp4-server' },
      ...compiler,
    ]
    await bring(tools, bench.say)
    const missing = tools.filter(({ command }) => !findTool(command)).map((tool) => tool.package)
    if (missing.length > 0) throw new Error(`the dhcp suite needs ${missing.join(', ')}`)
    const preload = await compile(join(import.meta.dirname, 'receive-buffer.c'), ['-shared', '-fPIC'])
    const network = await makeDhcpNetwork(bench)
    const load = new RelayedLoad(network.relay, preload)
    const warm = async (where: string, start: () => Promise<RunningContender>) => {
      const server = await start()
      await load.run(where, 2000, 4000)
      return server
    }
    const ours: DhcpContender = {
      name: 'oooi',
      version: await ownVersion(),
      address: address.oooi,
      start: () => warm(address.oooi, () => startOurs(bench, network.oooi)),
    }
    const kea: DhcpContender = {
      name: 'Kea',
      version: await versionOf('kea-dhcp4', ['-v']),
      address: address.kea,
      start: () => warm(address.kea, () => startKea(bench, network.kea, preload)),
    }
    const contenders = [ours, kea]
    const measures = [
      {
        name: 'without a drop',
        unit: 'leases',
        contenders,
        run: (to: DhcpContender, seconds: number) => load.withoutDrop(to.address, seconds),
      },
      {
        name: '2000/s offered',
        unit: 'leases',
        contenders,
        run: async (to: DhcpContender, seconds: number) => outcomeOf(await load.run(to.address, 2000, 2000 * seconds)),
      },
    ]
    const results = await runPlan({ measures, freshServers: true }, bench.pace, bench.say)
    await run(process.execPath, ['tools/build.ts'], { cwd: checkout })
    const bundle = join(checkout, 'dist', 'oooi', 'oooi.mjs')
    const idle = async (): Promise<RunningContender> => ({ pids: [], stop: async () => undefined })
    const restarting = [
      {
        ...ours,
        start: idle,
        restart: () => restart(writeOwnLeases, (prepare) => startOurs(bench, network.oooi, { prepare, bundle })),
      },
      {
        ...kea,
        start: idle,
        restart: () => restart(writeKeaLeases, (prepare) => startKea(bench, network.kea, preload, prepare)),
      },
    ]
    const restarts = {
      name: `restart, ${restartLeases} leases`,
      unit: 'restarts',
      contenders: restarting,
      run: (contender: (typeof restarting)[number]) => contender.restart(),
    }
    results.push(...(await runPlan({ measures: [restarts], freshServers: true }, bench.pace, bench.say)))
    const perfdhcp = { name: 'perfdhcp', version: await versionOf('perfdhcp', ['-v']) }
    return { method, contenders: [...contenders, perfdhcp], leftOut: [], measures: results }
  },
}

/** Clients behind a relay; no client ever asks twice. */
class RelayedLoad {
  readonly #namespace: string
  readonly #preload: string
  #batch = 0

  constructor(namespace: string, preload: string) {
    this.#namespace = namespace
    this.#preload = preload
  }

  async run(server: string, exchangesPerSecond: number, clients: number): Promise<DhcpResult> {
    const command = perfdhcpCommand(server, { exchangesPerSecond, clients, batch: ++this.#batch })
    const result = parsePerfdhcp(await runLoad(this.#namespace, command, { LD_PRELOAD: this.#preload }))
    if (result.notUnique > 0) throw new Error(`${server} gave ${result.notUnique} addresses to two clients`)
    return result
  }

  async withoutDrop(server: string, seconds: number): Promise<Outcome> {
    let operations = 0
    const best = await climb(async (rate) => {
      const result = await this.run(server, rate, Math.round(rate * seconds * rungShare))
      operations += result.completed
      return result
    })
    return { operations, perSecond: best?.perSecond ?? 0, lostShare: 0 }
  }
}

function outcomeOf({ completed, perSecond, dropped }: DhcpResult): Outcome {
  return { operations: completed, perSecond, lostShare: dropped / Math.max(1, completed + dropped) }
}
