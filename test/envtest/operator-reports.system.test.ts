import { expect, test } from 'vitest'
import { describeWithControlPlane } from './availability.ts'
import { installKinds, installMultus } from './installed-kinds.ts'
import { type AnyObject, attachment, condition, infra, is, lease, until, worldOf } from './operator-world.ts'
import { useOwnControlPlane } from './use.ts'
import { useOperator } from './use-operator.ts'

describeWithControlPlane('what engines report', () => {
  const plane = useOwnControlPlane({ controllerManager: true, prepare: [installKinds, installMultus] })
  useOperator(plane)
  const world = () => worldOf(plane())

  test('what the DHCP engine reports is told: beside Ready, as events, and against Ready when nobody can be served', async () => {
    const namespace = await plane().newNamespace()
    await world().apply(attachment(namespace), infra(namespace))
    await world().bringUp(namespace, [['dhcpservers', 'c1-dhcp']])
    await world().eventually('dhcpservers', namespace, 'c1-dhcp', is('Ready', 'True'))
    const now = new Date().toISOString()
    const refusals = [{ mac: '02:00:00:00:00:66', reason: 'UnknownClient', count: 2, last: now }]
    const report = (type: string, message: string) =>
      world().reportAsEngine('dhcpservers', namespace, 'c1-dhcp', {
        refusals,
        conditions: [{ type, status: 'True', reason: type, message, lastTransitionTime: now, observedGeneration: 1 }],
      })
    const says = (status: string, text: string) => (object: AnyObject) => {
      const ready = condition(object, 'Ready')
      return ready?.status === status && ready.message.includes(text)
    }
    await report('PoolExhausted', 'all 3 addresses are lent')
    const full = await world().eventually('dhcpservers', namespace, 'c1-dhcp', says('True', 'all 3 addresses are lent'))
    expect(condition(full, 'PoolExhausted')?.status, 'written by the engine, left alone by the manager').toBe('True')
    for (const reason of ['UnknownClient', 'PoolExhausted']) await world().told(namespace, reason)
    await world().bringUp(namespace, [['dnsservers', 'c1-dns']])
    const watched = await world().eventually('dhcpservers', namespace, 'c1-dhcp', ({ status }) =>
      Boolean(status?.resolved?.neighbours?.length),
    )
    expect(watched.status.resolved.neighbours).toEqual([
      { name: 'c1-dns', address: '192.168.100.3', mac: '02:00:00:00:00:aa' },
    ])
    const conflict = {
      type: 'AddressAnsweredByOther',
      status: 'True',
      reason: 'AddressAnsweredByOther',
      lastTransitionTime: now,
    }
    await world().reportAsEngine('dnsservers', namespace, 'c1-dns', {
      conditions: [{ ...conflict, message: '192.168.100.2 (c1-dhcp) is answered by somebody else' }],
    })
    await world().eventually('dhcpservers', namespace, 'c1-dhcp', says('True', 'is answered by somebody else'))
    await report('LeaseStoreDegraded', 'the disk is full')
    await world().eventually('dhcpservers', namespace, 'c1-dhcp', says('False', 'the disk is full'))
    await world().eventually('infras', namespace, 'c1', is('DHCPReady', 'False', 'LeaseStoreDegraded'))
  })

  test('names of machines with a lease reach DNS', async () => {
    const namespace = await plane().newNamespace()
    await world().apply(attachment(namespace), infra(namespace))
    await world().eventually('dhcpservers', namespace, 'c1-dhcp')
    const machine = { mac: '02:00:00:00:00:0a', vmName: 'worker-1' }
    await world().apply(lease(namespace, 'c1-dhcp', '192.168.100.101', machine))
    const dns = await world().eventually('dnsservers', namespace, 'c1-dns', ({ status }) =>
      Boolean(status?.resolved?.records?.length),
    )
    expect(dns.status.resolved.records).toEqual([
      { hostname: 'worker-1.c1.example.com', addresses: ['192.168.100.101'] },
    ])
  })

  test('how far machines came is in the status of the Infra, and who is stuck in an event with the likely cause', async () => {
    const namespace = await plane().newNamespace()
    await world().apply(attachment(namespace), infra(namespace))
    await world().eventually('dhcpservers', namespace, 'c1-dhcp')
    const ago = (minutes: number) => `${new Date(Date.now() - minutes * 60_000).toISOString().slice(0, 19)}Z`
    const leaseOf = (number: number) =>
      lease(namespace, 'c1-dhcp', `192.168.100.10${number}`, {
        mac: `02:00:00:00:00:0${number}`,
        vmName: `worker-${number}`,
        start: ago(6),
        expires: ago(-60),
      })
    await world().apply(leaseOf(1), leaseOf(2), leaseOf(3))
    const seen = (number: number, reached: string[], failing: object[] = []) => ({
      address: `192.168.100.10${number}`,
      reached,
      failing,
      changed: ago(5.5),
    })
    await world().eventually('dnsservers', namespace, 'c1-dns')
    await world().reportAsEngine('dnsservers', namespace, 'c1-dns', {
      clients: [seen(1, ['api.c1.example.com']), seen(2, ['ignition.c1.example.com'])],
    })
    const failing = [{ name: 'ignition-server', error: 'connection refused' }]
    await world().reportAsEngine('proxyservers', namespace, 'c1-proxy', {
      clients: [seen(1, ['kube-apiserver']), seen(2, [], failing)],
    })
    const { status } = await world().eventually(
      'infras',
      namespace,
      'c1',
      ({ status }) => status?.vms?.connected === 1 && status.vms.stuck.length === 2,
    )
    expect(status.vms).toMatchObject({ known: 3, leased: 3, resolved: 2, connected: 1 })
    expect(status.vms.stuck).toMatchObject([
      { name: 'worker-2', stage: 'Connecting', hint: expect.stringContaining('ignition-server') },
      { name: 'worker-3', stage: 'Leased', hint: expect.stringContaining('192.168.100.3') },
    ])
    expect(condition({ metadata: { name: 'c1' }, status }, 'Accepted')?.status, 'the rest of the status stays').toBe(
      'True',
    )
    await until('events', async () => {
      const events = await world().events(namespace)
      return events.filter(({ reason, note }) => reason === 'MachineStuck' && note.startsWith('worker-')).length === 2
    })
  })
})
