import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { failed, ok, type Problem, type Result } from '../../core/result.ts'
import type { Engine, EngineStatus } from '../../engines/engine.ts'
import { createLogger } from '../../runtime/observe/log.ts'
import { Metrics } from '../../runtime/observe/metrics.ts'
import { Newest } from '../../runtime/source/newest.ts'
import type { ResourceSource, SourceEvent } from '../../runtime/source/source.ts'
import { type Served, serve } from './serve.ts'
import { SingleEngine } from './single.ts'
import { controlSocketPath } from './statedir.ts'

const portTaken: Problem = { reason: 'PortInUse', message: 'taken' }
const noUpstream: Problem = { reason: 'UpstreamsUnreachable', message: 'none answers' }

interface ServingText extends EngineStatus {
  readonly serving: string
}

/** Serves every text but `taken`, and remembers what was done to it. */
class RecordingEngine implements Engine<string, ServingText> {
  readonly journal: string[] = []
  #serving = ''

  async apply(resource: string): Promise<Result<void>> {
    this.journal.push(`apply ${resource}`)
    if (resource === 'taken') return failed(portTaken)
    this.#serving = resource
    return ok()
  }

  status(): ServingText {
    return { serving: this.#serving, problems: this.#serving === 'degraded' ? [noUpstream] : [] }
  }

  async stop(graceMs: number): Promise<void> {
    this.journal.push(`stop ${graceMs}`)
  }
}

class ScriptedSource implements ResourceSource<string> {
  readonly #newest = new Newest<string>()

  events(): AsyncIterable<SourceEvent<string>> {
    return this.#newest.events()
  }

  object(object: string): void {
    this.#newest.putObject(object)
  }

  problem(problem: Problem): void {
    this.#newest.putProblems([problem])
  }

  stop(): void {
    this.#newest.close()
  }
}

let directory: string
let stateDir: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'oooi-serve-'))
  stateDir = directory
})

afterEach(() => rm(directory, { recursive: true }))

/** One of several that are served. */
class PartlyServed extends SingleEngine<string, ServingText> {
  get isPartly(): boolean {
    return this.status()?.serving !== 'all'
  }
}

function start(
  source: ScriptedSource,
  engine = new RecordingEngine(),
  served: Served<string> = new SingleEngine('dns', () => engine),
) {
  const logged: string[] = []
  const stop = new AbortController()
  const serving = Promise.withResolvers<void>()
  const ended = serve({
    source,
    served,
    stateDir,
    metrics: new Metrics(),
    log: createLogger('info', { write: (line: string) => void logged.push(JSON.parse(line).msg) }),
    stop: stop.signal,
    drainMs: 77,
    onServing: serving.resolve,
  })
  return { engine, stop, serving: serving.promise, ended, logged }
}

async function ask(path: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    get({ socketPath: controlSocketPath(stateDir), path }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
    }).on('error', reject)
  })
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 2000; attempt++) {
    if (await condition()) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('never came true')
}

test('serves, tells it on the control socket, drains on stop', async () => {
  const source = new ScriptedSource()
  source.object('one')
  const { engine, stop, serving, ended } = start(source)
  await serving
  expect((await ask('/readyz')).status).toBe(200)
  expect(JSON.parse((await ask('/status')).body)).toMatchObject({
    ready: true,
    components: [{ name: 'dns', ready: true, status: { serving: 'one' } }],
  })
  stop.abort()
  expect(await ended).toEqual([])
  expect(engine.journal).toEqual(['apply one', 'stop 77'])
  await expect(ask('/readyz')).rejects.toThrow()
})

test('that a change is served is said when all of it is', async () => {
  const source = new ScriptedSource()
  source.object('some')
  const engine = new RecordingEngine()
  const { stop, serving, ended, logged } = start(source, engine, new PartlyServed('dns', () => engine))
  await serving
  source.object('some more')
  await until(async () => engine.journal.includes('apply some more'))
  source.object('all')
  await until(async () => logged.length > 0)
  stop.abort()
  await ended
  expect(engine.journal).toEqual(['apply some', 'apply some more', 'apply all', 'stop 77'])
  expect(logged).toEqual(['the changed manifest is served'])
})

test('a first version that cannot be served ends it, with nothing left running', async () => {
  const source = new ScriptedSource()
  source.object('taken')
  const { engine, ended } = start(source)
  expect(await ended).toEqual([portTaken])
  expect(engine.journal).toEqual(['apply taken', 'stop 0'])
})

test('what does not work at the moment is told, and no reason to give up', async () => {
  const source = new ScriptedSource()
  source.object('degraded')
  const { stop, serving, ended } = start(source)
  await serving
  expect((await ask('/readyz')).status).toBe(200)
  expect(JSON.parse((await ask('/status')).body)).toMatchObject({ ready: false, problems: [noUpstream] })
  stop.abort()
  expect(await ended).toEqual([])
})

test('a later mistake changes nothing and shows in the status until it is mended', async () => {
  const source = new ScriptedSource()
  source.object('one')
  const { stop, serving, ended } = start(source)
  await serving
  source.problem({ reason: 'InvalidYaml', message: 'line 3' })
  await until(async () => (await ask('/status')).body.includes('line 3'))
  expect(JSON.parse((await ask('/status')).body)).toMatchObject({
    ready: false,
    components: [{ status: { serving: 'one' } }],
  })
  source.object('two')
  await until(async () => JSON.parse((await ask('/status')).body).ready)
  expect((await ask('/status')).body).toContain('"serving":"two"')
  stop.abort()
  await ended
})

test('a second process cannot take the state directory, but the socket of a dead one is replaced', async () => {
  const source = new ScriptedSource()
  source.object('one')
  const first = start(source)
  await first.serving
  expect(await start(new ScriptedSource()).ended).toMatchObject([{ reason: 'StateDirInUse' }])
  first.stop.abort()
  await first.ended
  await writeFile(controlSocketPath(stateDir), '')
  const third = new ScriptedSource()
  third.object('one')
  const again = start(third)
  await again.serving
  again.stop.abort()
  expect(await again.ended).toEqual([])
})

test('a state directory that cannot be is one sentence', async () => {
  await writeFile(join(stateDir, 'file'), '')
  stateDir = join(stateDir, 'file', 'below')
  expect(await start(new ScriptedSource()).ended).toMatchObject([{ reason: 'StateDirUnusable' }])
  stateDir = '/proc/oooi'
  expect(await start(new ScriptedSource()).ended).toMatchObject([{ reason: 'StateDirUnusable' }])
  stateDir = join(tmpdir(), 'x'.repeat(120))
  expect(await start(new ScriptedSource()).ended).toMatchObject([
    { reason: 'StateDirUnusable', message: expect.stringContaining('too long') },
  ])
})

test('what an engine threw once is not in the way of the next try', async () => {
  const engine = new RecordingEngine()
  let isFirst = true
  const single = new SingleEngine('dns', () => {
    if (!isFirst) return engine
    isFirst = false
    throw new Error('no memory')
  })
  await expect(single.apply('one')).rejects.toThrow('no memory')
  expect(await single.retry()).toEqual([])
  expect(single.status()?.serving).toBe('one')
  await single.stop(0)
})
