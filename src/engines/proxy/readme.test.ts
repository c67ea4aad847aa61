import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { parseProxyServerFile } from '../../api/manifest.ts'
import { routesOf } from '../../core/proxy/routes.ts'

it('has an example that is served as it stands', async () => {
  const text = await readFile(new URL('README.md', import.meta.url), 'utf8')
  const [, manifest = ''] = /```yaml\n(.*?)```/s.exec(text) ?? []
  const parsed = parseProxyServerFile(manifest, 'README.md')
  if (!parsed.ok) expect.fail(JSON.stringify(parsed.problems))
  const routes = routesOf(parsed.value)
  expect(routes.problems).toEqual([])
  expect([...routes.ports.keys()]).toEqual([6443, 443])
  expect(routes.ports.get(6443)?.tls.default?.otherwise?.name).toBe('kube-apiserver')
})
