import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { run } from '../../lab/host/command.ts'
import { startProcess } from '../../lab/host/process.ts'
import { inNamespace } from '../../lab/network/build.ts'
import { until } from '../../lab/testing.ts'
import { macOf, RealVlan, smallNetwork } from '../dhcp/testing/real-vlan.ts'

const address = '192.168.100.25'
let vlan: RealVlan | undefined
afterEach(() => vlan?.ledger.clear())

test('a machine that has the address of another is found by a third, as an ordinary program', async () => {
  const built = await RealVlan.build(smallNetwork)
  vlan = built
  const { ledger, clients } = built
  const give = async (who: 'dhclient' | 'udhcpc', verb: 'add' | 'del') => {
    const { namespace } = clients[who]
    await run('ip', ['-n', namespace, 'link', 'set', 'eth0', 'up'])
    await run('ip', ['-n', namespace, 'address', verb, `${address}/28`, 'dev', 'eth0'])
  }
  await give('dhclient', 'add')
  const lines: string[] = []
  const program = fileURLToPath(import.meta.resolve('./testing/watch-process.ts'))
  const watch = [
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    program,
    'c1-dns',
    address,
    macOf('dhclient'),
  ]
  startProcess(ledger, {
    what: 'watch',
    command: inNamespace(`${ledger.id}-server`, watch),
    logFile: join(ledger.directory, 'watch.log'),
    onLine: (line) => lines.push(line),
    graceMs: 0,
  })
  await until('a few looks', () => (lines.length > 8 ? true : undefined))
  expect(new Set(lines)).toEqual(new Set(['fine']))
  await give('dhclient', 'del')
  await give('udhcpc', 'add')
  // Whoever uses an address asks others for theirs, and is thereby known.
  const [command = '', ...args] = inNamespace(clients.udhcpc.namespace, [
    'busybox',
    'ping',
    '-c',
    '1',
    '192.168.100.18',
  ])
  await run(command, args)
  const said = await until('it to be found', () => lines.find((line) => line.includes('is answered by')), 60_000)
  expect(said).toContain(
    `${address} (c1-dns) is answered by ${macOf('udhcpc')} and not by its pod (${macOf('dhclient')})`,
  )
})
