import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { failed, ok } from '../core/result.ts'
import { inheritedDescriptors } from '../runtime/host/inherited-descriptors.ts'
import { runProgram } from './program.ts'
import { oooi, testTerminal } from './testing.ts'

/** Every mistake one can make with the flags of the commands for a host and the lab, and what is said to it. */

const directory = mkdtempSync(join(tmpdir(), 'oooi-mistakes-'))
afterAll(() => rmSync(directory, { recursive: true }))

const state = join(directory, 'state')
const fleet = join(directory, 'fleet')
for (const path of [state, join(fleet, 'c1'), join(fleet, 'c2')]) mkdirSync(path, { recursive: true })
for (const name of ['c1', 'c2']) writeFileSync(join(fleet, name, 'leases.journal'), '{"oooi-leases":1}\n')
writeFileSync(join(directory, 'leases.txt'), 'rubbish here\n')

const up = ['up', '-f', 'infra.yaml']
const sample = join(import.meta.dirname, '..', '..', 'config', 'samples', 'standalone', 'infra.yaml')

test.each<[string[], string]>([
  [['nonsense'], "unknown command 'nonsense'"],
  [['up'], "required option '-f, --file <path>' not specified"],
  [['up', '--file'], "option '-f, --file <path>' argument missing"],
  [['up', '-f', ''], "option '-f, --file <path>' is empty"],
  [[...up, 'second.yaml'], "too many arguments for 'up'. Expected 0 arguments but got 1: second.yaml"],
  [[...up, '--nonsense'], "unknown option '--nonsense'"],
  [[...up, '--statedir', state], 'Did you mean --state-dir?'],
  [[...up, '--state-dir', ''], "option '--state-dir <dir>' is empty"],
  [[...up, '--interface'], "option '--interface <name>' argument missing"],
  [[...up, '--interface', ''], "option '--interface <name>' is empty"],
  [[...up, '--coredns', ''], "option '--coredns <program>' is empty"],
  [[...up, '--coredns', '/nowhere/coredns'], 'It must be a program that this user may run.'],
  [[...up, '--envoy', '/etc/passwd'], 'It must be a program that this user may run.'],
  [['proxy', '--config', 'proxy.yaml', '--envoy', '/'], 'It must be a program that this user may run.'],
  [[...up, '--envoy', ''], "option '--envoy <program>' is empty"],
  [[...up, '--envoy-metrics', '9090'], 'It must be an IPv4 address and a port, e.g. 127.0.0.1:9090.'],
  [[...up, '--observe', '9090'], 'It must be an IPv4 address and a port'],
  [[...up, '--observe', 'localhost:80'], 'It must be an IPv4 address and a port'],
  [[...up, '--observe', '[::1]:80'], 'It must be an IPv4 address and a port'],
  [[...up, '--observe', '127.0.0.1:99999'], 'It must be an IPv4 address and a port'],
  [[...up, '--socket-units', ''], "option '--socket-units [directory]' is empty"],
  [[...up, '--socket-units', '--check'], "option '--socket-units [directory]' cannot be used with option '--check'"],
  [[...up, '--drain', 'soon'], 'It must be a duration such as 10s or 1m30s.'],
  [[...up, '--drain', '10'], 'It must be a duration such as 10s or 1m30s.'],
  [[...up, '--drain', '-1s'], 'It must be a duration such as 10s or 1m30s.'],
  [[...up, '--drain', '1000h'], 'It must be at most 168h, a week.'],
  [[...up, '--log-level', 'loud'], 'Allowed choices are trace, debug, info, warn, error, silent.'],
  [[...up, '--pod-address', 'eth0'], 'It must be an IPv4 address.'],
  [[...up, '--pod-address', '::1'], 'It must be an IPv4 address.'],
  [[...up, '--pod-address', '0.0.0.0'], 'It must be an address of this host.'],
  [[...up, '--pod-address', '224.0.0.1'], 'It must be an address of this host.'],
  [[...up, '--pod-address', '10.0.0.5', '--pod-address', '10.0.0.5'], 'It is given twice.'],
  [['dhcp'], 'give what to serve: --config <manifest.yaml> or --resource <namespace/name>'],
  [['dns', '--config', ''], "option '--config <manifest.yaml>' is empty"],
  [['dns', '--config', 'dns.yaml', '--resource', 'a/b'], 'give --config or --resource, not both'],
  [['proxy', '--resource', 'a'], '--resource is "a": it must be <namespace>/<name>'],
  [['proxy', '--resource', 'A/b'], '--resource is "A/b": it must be <namespace>/<name>'],
  [['dhcp', '--config', 'x', '--kubeconfig', 'y'], '--kubeconfig goes with --resource only'],
  [['proxy', '--render'], 'give what to serve'],
  [['proxy', '--render', '--resource', 'a/b'], '--render goes with --config only'],
  [['dhcp', '--resource', 'a/b', '--interface', 'lo'], '--interface goes with --config only'],
  [['dns', '--resource', 'a/b', '--add-addresses'], '--add-addresses goes with --config only'],
  [['lab', 'nonsense'], "lab has no command 'nonsense': it has break, heal, look, trace, shell"],
  [['lab', 'brek', 'dns'], "lab has no command 'brek': did you mean break?"],
  [['lab', '--vms', '0'], 'It must be a number from 1 to 200.'],
  [['lab', '--vms', 'many'], 'It must be a number from 1 to 200.'],
  [['lab', '--qemu-vms', '-1'], 'It must be a number from 0 to 8.'],
  [['lab', '--pxe-vms', '9'], 'It must be a number from 0 to 4.'],
  [['lab', '--keep', '--once'], "option '--keep' cannot be used with option '--once'"],
  [['lab', '--no-qemu', '--qemu-vms', '2'], "option '--no-qemu' cannot be used with option '--qemu-vms <number>'"],
  [['lab', '--no-qemu', '--pxe-vms', '1'], "option '--no-qemu' cannot be used with option '--pxe-vms <number>'"],
  [['lab', '-o', 'xml'], 'Allowed choices are text, json.'],
  [['lab', 'break'], "missing required argument 'what'"],
  [['lab', 'break', 'everything'], 'Allowed choices are dhcp, dns, proxy, api, vip, upstream, vm, pxe.'],
  [['lab', 'break', 'dns', 'worker-1'], 'dns is broken for all VMs: leave "worker-1" out, or break vm or pxe'],
  [['lab', 'break', 'dns', '--lab', ''], "option '--lab <id>' is empty"],
  [['lab', 'heal', 'dns'], "too many arguments for 'heal'"],
  [['lab', 'look', 'x'], "too many arguments for 'look'"],
  [['lab', 'trace'], "missing required argument 'vm'"],
  [['lab', 'shell'], "missing required argument 'vm'"],
  [['lab-cluster', '--nodes', '3'], 'Allowed choices are 1, 2.'],
  [['lab-cluster', '--vms', '21'], 'It must be a number from 0 to 20.'],
  [['lab-cluster', '--keep', '--once'], "option '--keep' cannot be used with option '--once'"],
  [['leases', 'lst'], "leases has no command 'lst': it has export, import, evict"],
  [['leases', '-o', 'xml'], 'Allowed choices are text, json.'],
  [['leases', 'import'], "missing required argument 'file'"],
  [['leases', 'evict'], "missing required argument 'address'"],
  [['leases', 'evict', 'worker-1'], 'It must be an IPv4 address.'],
  [['status', 'c1'], "too many arguments for 'status'"],
  [['status', '-o', 'xml'], 'Allowed choices are text, json.'],
  [['status', '--infra', 'c1'], 'It must be <namespace>/<name>, e.g. clusters/example.'],
  [['status', '--kubeconfig', 'x'], '--kubeconfig goes with --infra only'],
  [['render'], "required option '-f, --file <infra.yaml>' not specified"],
  [['render', '-f', ''], "option '-f, --file <infra.yaml>' is empty"],
  [['render', '-f', 'x', '-o', 'text'], 'Allowed choices are yaml, json.'],
])('wrong usage, exit code 2: %j', async (args, said) => {
  const { exitCode, stdout, stderr } = await oooi(...args)
  expect(stderr).toContain(said)
  expect([exitCode, stdout]).toEqual([2, ''])
})

test.each<[string[], number, string]>([
  [
    ['up', '-f', '/nowhere/infra.yaml', '--state-dir', state],
    3,
    'cannot read /nowhere/infra.yaml: there is no such file',
  ],
  [['up', '-f', '/nowhere', '--check'], 3, 'cannot read /nowhere: there is no such file'],
  [['up', '-f', '/nowhere', '--socket-units'], 3, 'cannot read /nowhere: there is no such file'],
  [
    ['up', '-f', sample, '--socket-units', join(directory, 'leases.txt')],
    4,
    `cannot write the units to ${join(directory, 'leases.txt')}: `,
  ],
  [['dns', '--config', directory, '--state-dir', state], 3, `cannot read ${directory}: it is a directory`],
  [['render', '-f', directory], 3, `cannot read ${directory}: it is a directory`],
  [['render', '-f', '-'], 3, 'stdin:1: the file holds no object, expected Infra or InfraClusterAttachment'],
  [['status', '--state-dir', '/nowhere'], 4, 'no oooi answers on /nowhere/oooi.sock: there is no such socket'],
  [['status', '--infra', 'a/b', '--kubeconfig', directory], 4, `${directory} cannot be read: it is a directory`],
  [['manager', '--kubeconfig', directory], 4, `${directory} cannot be read: it is a directory`],
  [['leases', '--state-dir', '/nowhere'], 4, 'there is no state directory /nowhere: name the one that oooi uses'],
  [['leases', 'export', '--state-dir', '/nowhere'], 4, 'there is no state directory /nowhere'],
  [['leases', 'evict', '192.0.2.1', '--state-dir', '/nowhere'], 4, 'there is no state directory /nowhere'],
  [['leases', '--state-dir', fleet], 4, `name one of ${fleet}/c1, ${fleet}/c2 with --state-dir`],
  [['leases', 'evict', '192.0.2.1', '--state-dir', state], 3, 'there is no lease for 192.0.2.1'],
  [['leases', 'import', '/nowhere.csv', '--state-dir', state], 3, 'cannot read /nowhere.csv: there is no such file'],
  [['leases', 'import', join(directory, 'leases.txt'), '--state-dir', state], 3, 'nothing was imported'],
  [['lab', 'look', '--lab', 'nowhere'], 4, 'there is no lab nowhere running on this machine'],
  [['lab', 'shell', 'worker-1', '--lab', 'nowhere'], 4, 'there is no lab nowhere running on this machine'],
  [['lab', 'trace', 'worker-1', '--lab', 'nowhere'], 4, 'there is no lab nowhere running on this machine'],
  [['lab', 'break', 'dns', '--lab', 'nowhere'], 4, 'there is no lab nowhere running on this machine'],
])('one sentence, and the exit code that goes with it: %j', async (args, code, sentence) => {
  const { exitCode, stdout, stderr } = await oooi(...args)
  expect(stderr).toContain(sentence)
  expect(stderr).toMatch(/^oooi: [^\n]+ \[\w+\]\n$/)
  expect([exitCode, stdout]).toEqual([code, ''])
})

test.each([
  [inheritedDescriptors({ LISTEN_PID: '1', LISTEN_FDS: 'three' }, 1), 'LISTEN_FDS is "three"; it must be a number'],
  [ok([{ fd: 9999, name: 'oooi.socket' }]), 'descriptor 9999 (oooi.socket) is not open'],
  [failed({ reason: 'DescriptorsUnreadable', message: 'as it was read.' }), 'as it was read.'],
])('sockets that are passed and of no use: %j', async (inherited, sentence) => {
  for (const command of [
    ['up', '-f'],
    ['dhcp', '--config'],
    ['dns', '--config'],
    ['proxy', '--config'],
  ]) {
    const { terminal, outcome } = testTerminal({ inherited })
    await runProgram([...command, sample, '--state-dir', state], terminal)
    expect(outcome()).toMatchObject({ exitCode: 4, stdout: '', stderr: expect.stringContaining(sentence) })
  }
})
