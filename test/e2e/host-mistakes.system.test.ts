import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** What a host can refuse: one sentence, exit code 4, nothing left running. Each runs in a network namespace of its own. */

const root = join(import.meta.dirname, '..', '..')
const program = join(root, 'bin', 'oooi')
const samples = join(root, 'config', 'samples')
const infra = join(samples, 'standalone', 'infra.yaml')
let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'oooi-host-'))
})

afterAll(() => rm(directory, { recursive: true }))

interface Outcome {
  readonly exitCode: number | null
  readonly stdout: string
  readonly said: readonly string[]
}

/** Runs the script as root in a new network namespace; it vanishes with its last process. */
async function inNewNetwork(script: string): Promise<Outcome> {
  const child = spawn(
    'unshare',
    ['--net', '--kill-child', '--fork', '--pid', '--mount-proc', 'sh', '-c', `ip link set lo up; ${script}`],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, OOOI: program, INFRA: infra, STATE: join(directory, String(Math.random())) },
      timeout: 110_000,
    },
  )
  const [stdout, stderr, exitCode] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ])
  return { exitCode, stdout, said: stderr.split('\n').filter((line) => line.startsWith('oooi: ')) }
}

const up = '$OOOI up -f $INFRA --state-dir $STATE --log-level silent'
const withAddress = 'ip address add 192.168.100.2/24 dev lo'

const infras = 'mkdir $STATE.d; cp $INFRA $STATE.d/a.yaml'
const second = "sed 's/192.168.100/192.168.101/; s/name: my-cluster/name: other/' $INFRA >$STATE.d/b.yaml"
/** Returns when somebody listens there. */
const taken = (port: number, address: string) =>
  `node -e 'require("net").createServer().listen(${port}, "${address}", () => require("fs").writeFileSync(process.argv[1], ""))' $STATE.taken & until [ -e $STATE.taken ]; do sleep 0.1; done`
const full = 'mount -t tmpfs -o size=64k tmpfs /mnt; head -c 1M /dev/zero >/mnt/x 2>/dev/null'

test.concurrent.each([
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
    `${withAddress}; ${taken(6443, '192.168.100.2')}; ${up}`,
    /192\.168\.100\.2.*6443.*\[PortInUse\]/,
  ],
  [
    'an annotation that names no interface',
    `${infras}; sed -i 's|^  name: my-cluster|&\\n  annotations: { hostedcluster.densityops.com/interface: vlan7 }|' $STATE.d/a.yaml; $OOOI up -f $STATE.d --state-dir $STATE`,
    /no interface vlan7; it has lo.*\[InterfaceMissing\]/,
  ],
  [
    'a port for --observe that is taken',
    `${withAddress}; ${taken(9441, '127.0.0.1')}; ${up} --observe 127.0.0.1:9441`,
    /--observe cannot listen on 127\.0\.0\.1 port 9441: another program does; .*\[PortInUse\]/,
  ],
  [
    'addresses of somebody else for --observe and pods',
    `${withAddress}; ${up} --observe 10.9.9.9:9441; ${up} --pod-address 10.9.9.8`,
    /--observe cannot listen on 10\.9\.9\.9 port 9441: no interface of this host has the address.*\[AddressMissing\][\s\S]* 10\.9\.9\.8 port .*\[AddressMissing\]/,
  ],
  [
    'a state directory on a file system that is read-only',
    `mount -t tmpfs -o ro tmpfs /mnt; STATE=/mnt/state; ${withAddress}; ${up}`,
    /cannot use --state-dir \/mnt\/state: the file system is read-only \[StateDirUnusable\]/,
  ],
  [
    'a state directory on a disk that is full',
    `${full}; STATE=/mnt/state; ${withAddress}; ${up}`,
    /leases cannot be kept in \/mnt\/state: the disk is full \[StateDirUnusable\]/,
  ],
  [
    'a state directory that is a file',
    `touch $STATE; ${withAddress}; ${up}`,
    /cannot use --state-dir \S+: a part of its path is no directory \[StateDirUnusable\]/,
  ],
  [
    'a state directory where this user may not write',
    `mkdir -m 0 $STATE; STATE=$STATE/inner; ${withAddress}; exec setpriv --bounding-set=-all --inh-caps=-all ${up}`,
    /cannot use --state-dir \S+: this user may not write there \[StateDirUnusable\]/,
  ],
])('%s', async (_, script, sentence) => {
  const { exitCode, said } = await inNewNetwork(script)
  expect(said.join('\n')).toMatch(sentence)
  expect(exitCode).toBe(4)
})

test.concurrent.each([
  [
    'a directory that this user may not read',
    'mkdir -m 0 $STATE.d; exec setpriv --bounding-set=-all --inh-caps=-all $OOOI up -f $STATE.d --state-dir $STATE',
    /cannot read the directory \S+: this user may not read it \[FileUnreadable\]/,
  ],
  [
    'a file that this user may not read',
    `${infras}; chmod 0 $STATE.d/a.yaml; exec setpriv --bounding-set=-all --inh-caps=-all $OOOI up -f $STATE.d --check`,
    /cannot read \S+a\.yaml: this user may not read it \[FileUnreadable\]/,
  ],
  [
    'two Infras that want one network',
    `${infras}; sed 's/name: my-cluster/name: other/; s/192.168.100.2$/192.168.100.3/' $INFRA >$STATE.d/b.yaml; ${withAddress}; $OOOI up -f $STATE.d --check`,
    /b\.yaml:9: spec\.networkConfig\.cidr: 192\.168\.100\.0\/24 overlaps .* of Infra my-cluster in \S+a\.yaml.*\[NetworksOverlap\]/,
  ],
  [
    'two Infras for one address of pods',
    `${infras}; ${second}; ${withAddress}; $OOOI up -f $STATE.d --check --pod-address 10.0.0.5`,
    /b\.yaml:6: metadata\.name: --pod-address 10\.0\.0\.5 serves Infra my-cluster in \S+a\.yaml already.*\[AddressConflict\]/,
  ],
  [
    'a file that grows when it is read',
    `${infras}; { echo 'a: &a [x,x,x,x,x,x,x,x,x,x]'; for i in a b c d e f g h; do n=$(echo $i | tr a-h b-i); echo "$n: &$n [*$i,*$i,*$i,*$i,*$i,*$i,*$i,*$i,*$i,*$i]"; done; } >$STATE.d/a.yaml; $OOOI up -f $STATE.d --check`,
    /a\.yaml:\d+: .*alias.*\[InvalidYaml\]/i,
  ],
])('%s: exit code 3', async (_, script, sentence) => {
  const { exitCode, said } = await inNewNetwork(script)
  expect(said.join('\n')).toMatch(sentence)
  expect(exitCode).toBe(3)
})

test('--add-addresses adds what is missing, also to a link that is down, serves, and takes it away again', async () => {
  const { exitCode } = await inNewNetwork(`
    ip link add vlan100 type veth peer name far; ip link set far up
    ${up} --interface vlan100 --add-addresses & pid=$!
    for i in $(seq 100); do $OOOI status --state-dir $STATE >/dev/null 2>&1 && break; sleep 0.1; done
    ip address show dev vlan100 | grep -q 192.168.100.2/24 || exit 10
    kill -TERM $pid; wait $pid || exit 11
    ip address show dev vlan100 | grep -q 192.168.100.2/24 && exit 12
    exit 0`)
  expect(exitCode).toBe(0)
})

test.each([
  ['dns', '192.168.105.3/24'],
  // Its kind does not say how long the network is.
  ['proxy', '192.168.105.10/32'],
])('so does an engine alone: %s at %s', async (engine, address) => {
  const { exitCode, said } = await inNewNetwork(`
    ip link add vlan105 type veth peer name far; ip link set far up
    set -- ${engine} --config ${samples}/${engine}server.yaml --state-dir $STATE --log-level silent --interface vlan105
    $OOOI "$@" && exit 9
    $OOOI "$@" --add-addresses & pid=$!
    for i in $(seq 300); do ip address show dev vlan105 | grep -q ${address} && break; sleep 0.1; done
    ip address show dev vlan105 | grep -q ${address} || exit 10
    kill -TERM $pid; wait $pid || exit 11
    ip address show dev vlan105 | grep -q ${address} && exit 12
    exit 0`)
  expect(said).toEqual([expect.stringContaining(`vlan105 does not have ${address}: `)])
  expect(said[0]).toMatch(/or use --add-addresses \[AddressMissing\]$/)
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

test('an Infra whose state cannot be kept is told, and the others are served', async () => {
  const { exitCode, stdout } = await inNewNetwork(`
    ${infras}; ${second}; ${withAddress}; ip address add 192.168.101.2/24 dev lo; mkdir $STATE; touch $STATE/other
    $OOOI up -f $STATE.d --state-dir $STATE --log-level silent & pid=$!
    for i in $(seq 100); do $OOOI status --state-dir $STATE 2>/dev/null | grep -q other/dns && break; sleep 0.1; done
    $OOOI status --state-dir $STATE
    kill -TERM $pid; wait $pid`)
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/^my-cluster\/dhcp +ready/m)
  expect(stdout).toMatch(/^other\/dhcp +not serving/m)
  expect(stdout).toMatch(/leases cannot be kept in \S+\/other: there is a file of that name \[StateDirUnusable\]/)
})
