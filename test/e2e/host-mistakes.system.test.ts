import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** What a host can refuse: one sentence, exit code 4, nothing left running. Each runs in a network namespace of its own. */

const root = join(import.meta.dirname, '..', '..')
const program = join(root, 'bin', 'oooi')
const infra = join(root, 'config', 'samples', 'standalone.yaml')
let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'oooi-host-'))
})

afterAll(() => rm(directory, { recursive: true }))

interface Outcome {
  readonly exitCode: number | null
  readonly said: readonly string[]
}

/** Runs the script as root in a new network namespace; it vanishes with its last process. */
async function inNewNetwork(script: string): Promise<Outcome> {
  const child = spawn(
    'unshare',
    ['--net', '--kill-child', '--fork', '--pid', '--mount-proc', 'sh', '-c', `ip link set lo up; ${script}`],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env.PATH, OOOI: program, INFRA: infra, STATE: join(directory, String(Math.random())) },
      timeout: 60_000,
    },
  )
  const [stderr, exitCode] = await Promise.all([
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ])
  return { exitCode, said: stderr.split('\n').filter((line) => line.startsWith('oooi: ')) }
}

const up = '$OOOI up -f $INFRA --state-dir $STATE --log-level silent'
const withAddress = 'ip address add 192.168.100.2/24 dev lo'

test.each([
  ['no leg on the VLAN', up, /no interface of this host has 192\.168\.100\.2.*\[AddressMissing\]/],
  ['an interface that is not there', `${up} --interface vlan7`, /no interface vlan7; it has lo.*\[InterfaceMissing\]/],
  [
    'an address missing on the interface',
    `ip address add 192.168.100.9/24 dev lo; ${up}`,
    /ip address add 192\.168\.100\.2\/24 dev lo.*\[AddressMissing\]/,
  ],
  [
    'a port below 1024 without the right to it',
    `${withAddress}; exec setpriv --bounding-set=-all --inh-caps=-all ${up}`,
    /ip_unprivileged_port_start.*\[PermissionDenied\]/,
  ],
  [
    'a port that is taken',
    `${withAddress}; node -e 'require("net").createServer().listen(6443, "192.168.100.2")' & sleep 1; ${up}`,
    /192\.168\.100\.2.*6443.*\[PortInUse\]/,
  ],
])('%s', async (_, script, sentence) => {
  const { exitCode, said } = await inNewNetwork(script)
  expect(said.join('\n')).toMatch(sentence)
  expect(exitCode).toBe(4)
})

test('--add-addresses adds what is missing, serves, and takes it away again', async () => {
  const { exitCode } = await inNewNetwork(`
    ${up} --interface lo --add-addresses & pid=$!
    for i in $(seq 100); do $OOOI status --state-dir $STATE >/dev/null 2>&1 && break; sleep 0.1; done
    ip address show dev lo | grep -q 192.168.100.2/24 || exit 10
    kill -TERM $pid; wait $pid || exit 11
    ip address show dev lo | grep -q 192.168.100.2/24 && exit 12
    exit 0`)
  expect(exitCode).toBe(0)
})

test('an ordinary user needs nothing but the port sysctl', async () => {
  const { exitCode } = await inNewNetwork(`
    ${withAddress}; echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start
    setpriv --bounding-set=-all --inh-caps=-all ${up} & pid=$!
    for i in $(seq 100); do $OOOI status --state-dir $STATE >/dev/null 2>&1 && ready=yes && break; sleep 0.1; done
    kill -TERM $pid; wait $pid && [ "$ready" = yes ]`)
  expect(exitCode).toBe(0)
})
