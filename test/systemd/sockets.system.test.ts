import { expect, test } from 'vitest'
import { until } from '../../src/lab/testing.ts'
import { nodeLease, nodeMac, useInstalled } from './installed.ts'
import { describeWithSystemd } from './machine.ts'

/** Socket units as `oooi up --socket-units` writes them: the first packet starts oooi, and what comes while it is down waits. */

describeWithSystemd('the socket units', () => {
  const oooi = useInstalled()

  test('a node that asks starts the service, which needs no capability', async () => {
    const { machine } = oooi()
    await machine.run('oooi', 'up', '-f', '/etc/oooi/infra.d', '--socket-units', '/etc/systemd/system')
    await machine.run('systemctl', 'daemon-reload')
    await machine.run('systemctl', 'start', 'oooi.socket', 'oooi-dhcp-c1.socket')
    expect(await oooi().property('oooi@blue', 'ActiveState')).toBe('inactive')
    expect(await oooi().lease()).toBe(nodeLease)
    await oooi().vlan.run('ip', 'address', 'add', '192.168.100.100/24', 'dev', 'eth0')
    const pid = await oooi().property('oooi@blue', 'MainPID')
    expect(await machine.run('cat', `/proc/${pid}/status`)).toContain('CapEff:\t0000000000000000\n')
    expect(await oooi().entries('-u', 'oooi@blue', `OOOI_MAC=${nodeMac}`)).not.toEqual([])
  })

  test('green takes over with the same sockets, and blue ends well', async () => {
    const stream = oooi().stream()
    expect(await stream.answer('abc')).toBe('cba')
    await oooi().start('oooi@green')
    await oooi().serves('green')
    expect(await stream.answer('def')).toBe('fed')
    stream.end()
    await until(
      'blue to end',
      async () => (await oooi().property('oooi@blue', 'ActiveState')) === 'inactive' || undefined,
    )
    expect(await oooi().property('oooi@blue', 'Result')).toBe('success')
    expect(await oooi().lease()).toBe(nodeLease)
  })

  test('a query that comes while the service is restarted waits, and is answered', async () => {
    const name = 'api.my-cluster.example.com'
    const restarted = oooi().machine.run('systemctl', 'restart', 'oooi@green')
    const answers: string[] = []
    // One question after the other, none of them asked twice.
    for (let count = 0; count < 20; count++) {
      answers.push(await oooi().vlan.run('dig', '+short', '+tries=1', '+time=30', '@192.168.100.2', name))
    }
    await restarted
    expect(new Set(answers)).toEqual(new Set(['192.168.100.2\n']))
  })

  test('what comes after blue has ended does not start it again, and waits while a killed green is started', async () => {
    const { machine, vlan, property } = oooi()
    const ask = (...how: string[]) =>
      vlan.run('dig', '+short', '+tries=1', '+time=60', ...how, '@192.168.100.2', 'api.my-cluster.example.com')
    await machine.run('systemctl', 'kill', '--signal=KILL', 'oooi@green')
    expect(await Promise.all([ask(), ask('+tcp')])).toEqual(Array(2).fill('192.168.100.2\n'))
    expect(await property('oooi@green', 'NRestarts')).toBe('1')
    expect(await property('oooi@blue', 'ActiveState')).toBe('inactive')
  })

  test('systemd finds no mistake in them', async () => {
    const units = ['oooi.socket', 'oooi-dhcp-c1.socket'].map((name) => `/etc/systemd/system/${name}`)
    expect(await oooi().machine.run('systemd-analyze', 'verify', ...units, 'oooi@blue.service')).toBe('')
  })
})
