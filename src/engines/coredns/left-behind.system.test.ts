import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { freePorts } from '../../../test/envtest/ports.ts'
import { findCoredns } from '../../../tools/coredns/coredns.ts'
import { run } from '../../lab/host/command.ts'
import { until } from '../../lab/testing.ts'
import { dnsServer, domain } from '../dns/testing.ts'

const address = '127.53.11.3'
const program = join(import.meta.dirname, '..', '..', '..', 'bin', 'oooi')
const running: ChildProcess[] = []

afterEach(async () => {
  for (const child of running.splice(0)) {
    const ended = child.exitCode ?? child.signalCode ?? once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
})

it('does not answer beside its successor when the oooi that ran it was killed', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'oooi-left-'))
  const [port = 0] = await freePorts(1)
  const coredns = await findCoredns(process.env)
  const config = join(directory, 'dns.yaml')
  const serve = async (ip: string): Promise<ChildProcess> => {
    const spec = {
      engine: 'coredns' as const,
      networkConfig: {
        serverIP: address,
        proxyIP: '127.53.11.10',
        secondaryNetworkCIDR: '127.53.11.0/24',
        dnsPort: port,
      },
      staticEntries: [{ hostname: `api.${domain}`, ip }],
      forwarding: { enabled: false },
    }
    const { apiVersion, kind, metadata, spec: whole } = dnsServer(spec)
    await writeFile(config, stringify({ apiVersion, kind, metadata: { name: metadata.name }, spec: whole }))
    const stateDir = ['--state-dir', join(directory, 'state')]
    const child = spawn(program, ['dns', '--config', config, '--coredns', coredns, ...stateDir], { stdio: 'ignore' })
    running.push(child)
    await until(`${ip} from CoreDNS`, async () => ((await ask()) === ip ? true : undefined), 60_000)
    return child
  }
  const ask = async () =>
    (
      await run('dig', ['+short', '+tries=1', '+time=1', `@${address}`, '-p', `${port}`, `api.${domain}`]).catch(
        () => '',
      )
    ).trim()
  const pid = (): number => JSON.parse(readFileSync(join(directory, 'state/coredns/program.json'), 'utf8')).pid
  // One that has ended and that nobody has waited for yet has no command line any more.
  const isThere = (of: number) => existsSync(`/proc/${of}`) && readFileSync(`/proc/${of}/cmdline`, 'utf8') !== ''

  const first = await serve('127.53.11.20')
  const orphan = pid()
  const killed = once(first, 'exit')
  first.kill('SIGKILL')
  await killed
  expect(isThere(orphan)).toBe(true)

  await serve('127.53.11.21')
  expect(pid()).not.toBe(orphan)
  expect(isThere(orphan)).toBe(false)
  const answers = await Promise.all(Array.from({ length: 20 }, ask))
  expect(new Set(answers)).toEqual(new Set(['127.53.11.21']))
  await rm(directory, { recursive: true })
})
