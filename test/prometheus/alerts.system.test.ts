import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { run } from '../../src/lab/host/command.ts'
import { findPrometheus } from '../../tools/prometheus/prometheus.ts'

/** The alerts, as Prometheus understands them: in scenarios, and on what a real `oooi up --observe` tells. */

const root = join(import.meta.dirname, '..', '..')
const rules = join(root, 'config', 'prometheus', 'oooi-alerts.yaml')
const programs = await findPrometheus()
const directory = mkdtempSync(join(tmpdir(), 'oooi-prometheus-'))

afterAll(() => rmSync(directory, { recursive: true }))

test('promtool finds no mistake, and every alert is told and keeps quiet as the scenarios say', async () => {
  const promtool = join(programs, 'promtool')
  await run(promtool, ['check', 'rules', '--lint=all', '--lint-fatal', rules])
  await run(promtool, ['test', 'rules', 'scenarios.yaml'], { cwd: import.meta.dirname })
  const scenarios = readFileSync(join(import.meta.dirname, 'scenarios.yaml'), 'utf8')
  const alerts = [...readFileSync(rules, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name]) => name)
  expect(alerts.filter((name) => !scenarios.includes(`alertname: ${name}\n`))).toEqual([])
})

const config = `
global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }
rule_files: [${rules}]
scrape_configs:
  - job_name: oooi
    static_configs: [{ targets: ["127.0.0.1:9440"] }]
`

interface Rule {
  readonly name: string
  readonly query: string
  readonly health: string
  readonly alerts: readonly { readonly labels: Readonly<Record<string, string>> }[]
}

/** What Prometheus knows after it has scraped an oooi with two Infras and a file that is none. */
async function scrape(): Promise<{ rules: Rule[]; metadata: Record<string, unknown>; series: string[] }> {
  // What an earlier try has stored would be an alert before anything is scraped.
  const own = mkdtempSync(join(directory, 'scrape-'))
  writeFileSync(join(own, 'prometheus.yaml'), config)
  const sample = readFileSync(join(root, 'config', 'samples', 'standalone', 'infra.yaml'), 'utf8')
  await run('mkdir', [join(own, 'infras')])
  for (const [name, network] of [
    ['c1', '192.168.100.'],
    ['c2', '192.168.101.'],
  ] as const) {
    const infra = sample.replaceAll('192.168.100.', network).replace(/^( {2}name: ).*$/m, `$1${name}`)
    writeFileSync(join(own, 'infras', `${name}.yaml`), infra)
  }
  writeFileSync(join(own, 'infras', 'c3.yaml'), 'kind: Nonsense\n')
  const script = `
    ip link set lo up; ip address add 192.168.100.2/24 dev lo; ip address add 192.168.101.2/24 dev lo
    $OOOI up -f infras --state-dir state --observe 127.0.0.1:9440 --log-level silent &
    $PROMETHEUS --config.file=prometheus.yaml --storage.tsdb.path=data --web.listen-address=127.0.0.1:9090 --log.level=error &
    ask() { curl -s "http://127.0.0.1:9090/api/v1/$1"; }
    for i in $(seq 100); do ask rules | grep -q '"reason":"WrongKind"' && break; sleep 0.3; done
    ask rules; echo; ask metadata; echo
    curl -s http://127.0.0.1:9440/metrics | grep -v '^#'`
  const child = spawn('unshare', ['--net', '--kill-child', '--fork', '--pid', '--mount-proc', 'sh', '-c', script], {
    cwd: own,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      OOOI: join(root, 'bin', 'oooi'),
      PROMETHEUS: join(programs, 'prometheus'),
    },
    timeout: 110_000,
  })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect(stderr).toBe('')
  const [known = '', metadata = '', ...series] = stdout.split('\n')
  return {
    rules: JSON.parse(known).data.groups.flatMap((group: { rules: Rule[] }) => group.rules),
    metadata: JSON.parse(metadata).data,
    series,
  }
}

test('every alert asks for what a real oooi tells, and a problem of it becomes an alert', async () => {
  const { rules, metadata, series } = await scrape()
  expect(rules.filter(({ health }) => health !== 'ok')).toEqual([])
  const names = [...new Set(rules.flatMap(({ query }) => query.match(/oooi_\w+/g) ?? []))]
  expect(names.length).toBeGreaterThan(6)
  expect(names.filter((name) => !(name in metadata))).toEqual([])
  const matchers = rules.flatMap(({ query }) => [...query.matchAll(/(oooi_\w+)\{(\w+=~?"[^"]+")\}/g)])
  expect(matchers.length).toBeGreaterThan(0)
  for (const [, name = '', label = ''] of matchers) {
    expect(series.some((line) => line.startsWith(`${name}{`) && line.includes(label))).toBe(true)
  }
  const told = rules.find(({ name }) => name === 'OooiProblem')?.alerts.map(({ labels }) => labels.reason)
  expect(told).toContain('WrongKind')
})
