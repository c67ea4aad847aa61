import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'

/** `oooi up -f <directory>` in a network namespace of its own, which vanishes with its last process. */

const root = join(import.meta.dirname, '..', '..')
let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'oooi-directory-'))
  const sample = await readFile(join(root, 'config', 'samples', 'standalone', 'infra.yaml'), 'utf8')
  const second = sample.replaceAll('192.168.100.', '192.168.101.').replace(/^( {2}name: ).*$/m, '$1second')
  await writeFile(join(directory, 'a.yaml'), sample)
  await writeFile(join(directory, 'b.yaml'), second)
})

afterEach(() => rm(directory, { recursive: true }))

async function inNewNetwork(script: string): Promise<{ exitCode: number | null; stdout: string; stderr: string }> {
  const prelude = 'ip link set lo up; ip address add 192.168.100.2/24 dev lo; ip address add 192.168.101.2/24 dev lo;'
  const child = spawn(
    'unshare',
    ['--net', '--kill-child', '--fork', '--pid', '--mount-proc', 'sh', '-c', `${prelude} ${script}`],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        OOOI: join(root, 'bin', 'oooi'),
        INFRAS: directory,
        STATE: join(directory, 'state'),
        SAMPLE: join(root, 'config', 'samples', 'standalone', 'infra.yaml'),
        CLUSTERS: join(root, 'config', 'samples', 'standalone', 'two-clusters.yaml'),
      },
      timeout: 110_000,
    },
  )
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), exit])
  return { exitCode, stdout, stderr }
}

test('several Infras in one process: each with its leases and metrics, a broken one harms no other', async () => {
  const { exitCode, stdout, stderr } = await inNewNetwork(`
    $OOOI up -f $INFRAS --state-dir $STATE --log-level silent & pid=$!
    for i in $(seq 100); do $OOOI status --state-dir $STATE >/dev/null 2>&1 && break; sleep 0.1; done
    $OOOI status --state-dir $STATE
    curl -s --unix-socket $STATE/oooi.sock http://x/metrics | grep -c '^# TYPE oooi_dhcp_received_total'
    curl -s --unix-socket $STATE/oooi.sock http://x/metrics | grep -o 'oooi_dhcp_lease_store_healthy{.*'
    echo 'kind: Nonsense' > $INFRAS/b.yaml; mv $INFRAS/a.yaml $INFRAS/c.yaml
    for i in $(seq 100); do $OOOI status --state-dir $STATE 2>&1 | grep -q Nonsense && break; sleep 0.1; done
    $OOOI status --state-dir $STATE; echo "exit $?"
    ls $STATE
    kill -TERM $pid; wait $pid`)
  expect(stderr).toBe('')
  expect(exitCode).toBe(0)
  expect(stdout.match(/^\S+\/(dhcp|dns|proxy) +ready/gm)).toHaveLength(12)
  expect(stdout).toContain('oooi_dhcp_lease_store_healthy{infra="second"} 1')
  expect(stdout).toMatch(/^1$/m)
  expect(stdout).toMatch(/Infra second: .*Nonsense/)
  expect(stdout).toContain('exit 1')
  expect(stdout).toMatch(/^second$/m)
})

test('what the host lacks is waited for; a file that is renamed and machines are known by the Infra', async () => {
  const { exitCode, stdout, stderr } = await inNewNetwork(`
    FILES=$STATE-late-files; STATE=$STATE-late; mkdir $FILES
    cp $SAMPLE $FILES/a.yaml
    sed 's/192\\.168\\.100\\./192.168.102./; s/^  name: .*/  name: late/' $SAMPLE > $FILES/b.yaml
    echo "$(( $(date +%s) + 3600 )) 02:00:00:00:00:09 192.168.100.150 worker-9 *" > $FILES/leases.txt
    $OOOI leases import $FILES/leases.txt --state-dir $STATE/my-cluster >/dev/null
    ask() { curl -s --unix-socket $STATE/oooi.sock http://x/$1; }
    until_ready() { for i in $(seq 300); do ask readyz | grep -q "$1" && break; sleep 0.1; done; ask readyz; }
    $OOOI up -f $FILES --state-dir $STATE --log-level error >&2 & pid=$!
    until_ready late
    $OOOI status --state-dir $STATE --vms
    dig +short @192.168.100.2 api.my-cluster.example.com >/dev/null; mv $FILES/a.yaml $FILES/renamed.yaml
    ip address add 192.168.102.2/24 dev lo; until_ready ok
    ask status
    ip address del 192.168.100.2/24 dev lo; until_ready my-cluster
    kill -TERM $pid; wait $pid`)
  expect(exitCode).toBe(0)
  expect(stderr).toMatch(/"infra":"late",.*AddressMissing/)
  expect(stdout).toMatch(/^my-cluster\/worker-9 +192\.168\.100\.150 +Leased/m)
  expect(stdout.match(/^late\/(dhcp|dns|proxy) is not ready$/gm)).toHaveLength(3)
  expect(stdout.match(/^ok$/gm)).toHaveLength(1)
  expect(stdout).toMatch(/"queries":[1-9]/)
  expect(stdout.match(/^my-cluster\/(dhcp|dns|proxy) is not ready$/gm)).toHaveLength(3)
})

test('--check says what could be served and what not, and serves nothing', async () => {
  const { exitCode, stdout, stderr } = await inNewNetwork(`
    echo 'kind: Nonsense' > $INFRAS/b.yaml; mv $INFRAS/a.yaml $INFRAS/c.yaml
    $OOOI up -f $INFRAS/c.yaml --check || exit 10
    ip address del 192.168.100.2/24 dev lo
    $OOOI up -f $INFRAS --check --state-dir $STATE; code=$?
    $OOOI up -f $INFRAS/c.yaml --check --interface lo --add-addresses || exit 11
    mkdir $STATE-empty; $OOOI up -f $STATE-empty --check
    exit $code`)
  expect(stdout.match(/can be served: dhcp at 192\.168\.100\.2/g)).toHaveLength(2)
  expect(stderr).toContain('Nonsense')
  expect(stderr).toContain('[AddressMissing]')
  expect(stderr).toContain('holds no manifest')
  expect(exitCode).toBe(3)
})

test('two clusters on one VLAN: each by its names, and machines that name no host by their networks', async () => {
  const { exitCode, stdout, stderr } = await inNewNetwork(`
    for address in 192.168.100.65 192.168.100.129 10.0.0.10 10.0.0.20; do ip address add $address/32 dev lo; done
    mkdir $STATE-clusters; cd $STATE-clusters
    serve() {
      openssl req -x509 -days 2 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout $1.key -out $1.pem -subj /CN=$1 2>/dev/null
      openssl s_server -accept $2 -cert $1.pem -key $1.key -quiet -naccept 100 </dev/null >/dev/null 2>&1 &
    }
    serve first 10.0.0.10:6443; serve second 10.0.0.20:6443
    # The second cluster is in a file of its own.
    mkdir files; csplit -s -f part $CLUSTERS '/^---/' '{1}'; cat part00 part01 > files/infra.yaml; cp part02 files/second.yaml
    $OOOI up -f files --check || exit 10
    $OOOI up -f files --state-dir state --log-level silent & pid=$!
    is_ready() { $OOOI status --state-dir state 2>/dev/null >seen; grep -q 'shared/proxy *ready' seen && grep -q 'shared/dns *ready' seen; }
    for i in $(seq 100); do is_ready && break; sleep 0.1; done
    dig +short @192.168.100.2 api.first.example.com api-int.second.example.com x.apps.second.example.com
    ask() { openssl s_client -bind $1:0 -connect 192.168.100.2:6443 $2 $3 </dev/null 2>/dev/null | grep '^subject' | grep -o '[a-z]*$'; }
    ask 192.168.100.65 -servername api.second.example.com
    ask 192.168.100.129 -servername api.first.example.com
    ask 192.168.100.65 -noservername
    ask 192.168.100.129 -noservername
    ask 192.168.100.129 -servername kubernetes.default.svc
    kill -TERM $pid; wait $pid`)
  expect(stderr).toBe('')
  expect(exitCode).toBe(0)
  const [check, ...answers] = stdout.trim().split('\n')
  expect(check).toContain('clusters first, second')
  expect(answers).toEqual([
    '192.168.100.2',
    '192.168.100.2',
    '192.168.100.241',
    'second',
    'first',
    'first',
    'second',
    'second',
  ])
})
