import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { dnsServerSchema } from '../../api/dnsserver.ts'
import { createLogger } from '../../runtime/observe/log.ts'
import { Metrics } from '../../runtime/observe/metrics.ts'
import { createDnsEngine } from './engine.ts'
import { Bench, dnsServer, type Outcome } from './testing.ts'

const readme = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')
const manifest = dnsServerSchema.parse(parse(/```yaml\n(.*?)```/s.exec(readme)?.[1] ?? ''))
const examples = [...readme.matchAll(/^\| `(\S+) ([A-Z]+)` *\| (.*?) *\| (.*?) *\|$/gm)]

/** A reply in the words of the table. */
function words({ rcode, answers, authority }: Outcome): string {
  if (rcode === 'later') return 'forwarded'
  if (answers.length > 0) return answers.map((answer) => answer.split(' ')[2]).join(', ')
  return authority.some((record) => record.includes(' SOA ')) ? `${rcode}, SOA` : rcode
}

describe('the README', () => {
  const bench = new Bench(manifest, { withheld: ['cluster.local'] })

  it.each(examples.map(([, name = '', type = '', vlan = '', pod = '']) => [name, type, vlan, pod] as const))(
    '%s %s: %s on the VLAN, %s on the pod network',
    (name, type, vlan, pod) => {
      expect(words(bench.ask(name, type, 'vlan'))).toBe(vlan)
      expect(words(bench.ask(name, type, 'pod'))).toBe(pod)
    },
  )

  it('has examples', () => {
    expect(examples.length).toBeGreaterThan(8)
  })

  it('and the how-to documents show manifests that are accepted', () => {
    const howTo = join(import.meta.dirname, '..', '..', '..', 'docs', 'how-to')
    const fragments = ['dns-custom-entries.md', 'dns-upstream-over-tls.md'].map((file) => {
      const text = readFileSync(join(howTo, file), 'utf8')
      return parse(/```yaml\n(.*?)```/s.exec(text)?.[1] ?? '')
    })
    const [entries, upstreams] = fragments
    const shown = new Bench(dnsServer({ ...entries, ...upstreams }))
    expect(shown.ask('registry.c1.example.com', 'AAAA').answers).toEqual(['registry.c1.example.com AAAA fd00::20'])
    expect(shown.ask('x.dev.c1.example.com', 'A', 'pod').answers).toEqual(['x.dev.c1.example.com A 192.168.100.22'])
    expect(shown.ask('proxy.c1.example.com', 'A', 'pod').answers).toEqual(['proxy.c1.example.com A 172.30.4.5'])
    expect(shown.ask('www.git.corp.example.org').rcode).toBe('later')
  })

  it('names every metric there is, and no other', async () => {
    const metrics = new Metrics()
    const log = createLogger('silent', { write: () => {} })
    await createDnsEngine({ log, metrics, now: Date.now, podAddresses: [] }).stop(0)
    const { body } = await metrics.expose()
    const exposed = [...body.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name)
    const documented = [...readme.matchAll(/`(oooi_dns_\w+)`/g)].map(([, name]) => name)
    expect(documented.sort()).toEqual(exposed.sort())
  })
})
