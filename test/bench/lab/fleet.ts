import { readFileSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from '../../../src/lab/host/command.ts'
import { startProcess } from '../../../src/lab/host/process.ts'
import { inNamespace } from '../../../src/lab/network/build.ts'
import type { Bench } from '../bench.ts'
import { cpuSeconds } from '../cpu.ts'
import { checkout } from '../peers/version.ts'

const settleMs = 3000
const watchMs = 5000

/** What one `oooi up` costs that serves so many Infras to nobody, in a network namespace with all their addresses. */
export async function measureFleet(bench: Bench, count: number): Promise<{ mebibytes: number; cores: number }> {
  const namespace = `${bench.ledger.id}-fleet${count}`
  bench.ledger.record({ kind: 'namespace', name: namespace })
  await run('ip', ['netns', 'add', namespace])
  const directory = join(bench.directory, `infras-${count}`)
  await mkdir(directory)
  const sample = await readFile(join(checkout, 'config', 'samples', 'standalone', 'infra.yaml'), 'utf8')
  const numbers = Array.from({ length: count }, (_, index) => index)
  for (const number of numbers) {
    const text = sample.replaceAll('192.168.100.', `10.77.${number}.`).replace(/^( {2}name: ).*$/m, `$1c${number}`)
    await writeFile(join(directory, `c${number}.yaml`), text)
  }
  const addresses = numbers.map((number) => `address add 10.77.${number}.2/24 dev lo\n`)
  await run('ip', ['-n', namespace, '-batch', '-'], { input: `link set lo up\n${addresses.join('')}` })
  const stateDir = join(bench.directory, `state-${count}`)
  const serving = Promise.withResolvers<void>()
  const up = ['up', '-f', directory, '--state-dir', stateDir]
  const oooi = startProcess(bench.ledger, {
    what: 'oooi up',
    command: inNamespace(namespace, [join(checkout, 'bin', 'oooi'), ...up]),
    logFile: join(bench.directory, `up-${count}.log`),
    onLine: (line) => line.includes('"msg":"serving"') && serving.resolve(),
    graceMs: 5000,
  })
  const ended = oooi.ended.then((why) => {
    throw new Error(`oooi up with ${count} Infras ended (${why}): ${oooi.tail().join(' | ')}`)
  })
  ended.catch(() => {})
  await Promise.race([serving.promise, ended])
  await sleep(settleMs)
  const before = await cpuSeconds([oooi.pid])
  await sleep(watchMs)
  const cores = ((await cpuSeconds([oooi.pid])) - before) / (watchMs / 1000)
  const mebibytes = residentMebibytes(oooi.pid)
  await oooi.stop()
  return { mebibytes, cores }
}

function residentMebibytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN) / 1024
}
