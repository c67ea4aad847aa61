import { createHash } from 'node:crypto'
import { copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { typesFile } from '../../src/engines/envoy/xds/types-file.ts'
import { cached } from '../../src/lab/cache.ts'
import { run } from '../../src/lab/host/command.ts'

/**
 * Brings Envoy's message types: the protos come with the npm package @grpc/grpc-js-xds, buf compiles those that are
 * used and what they import into one file of descriptors.
 */

const { resolve: find } = createRequire(import.meta.url)
const protoPackage = find('@grpc/grpc-js-xds/package.json')
const protos = join(dirname(protoPackage), 'deps')
const buf = join(dirname(find('@bufbuild/buf/package.json')), 'bin', 'buf')

const used = [
  'config/bootstrap/v3/bootstrap',
  'config/cluster/v3/cluster',
  'config/endpoint/v3/endpoint',
  'config/listener/v3/listener',
  'extensions/access_loggers/grpc/v3/als',
  'extensions/access_loggers/stream/v3/stream',
  'extensions/filters/http/router/v3/router',
  'extensions/filters/listener/tls_inspector/v3/tls_inspector',
  'extensions/filters/network/http_connection_manager/v3/http_connection_manager',
  'extensions/filters/network/tcp_proxy/v3/tcp_proxy',
  'extensions/matching/common_inputs/network/v3/network_inputs',
  'extensions/matching/input_matchers/ip/v3/ip',
  'extensions/resource_monitors/downstream_connections/v3/downstream_connections',
  'extensions/transport_sockets/proxy_protocol/v3/upstream_proxy_protocol',
  'extensions/transport_sockets/raw_buffer/v3/raw_buffer',
  'extensions/upstreams/http/v3/http_protocol_options',
  'service/accesslog/v3/als',
  'service/discovery/v3/ads',
]

async function compile(directory: string): Promise<void> {
  const work = join(directory, 'work')
  await mkdir(work)
  for (const name of ['envoy-api', 'xds', 'googleapis']) {
    await cp(join(protos, name), join(work, name), { recursive: true })
  }
  await cp(join(protos, 'protoc-gen-validate', 'validate'), join(work, 'pgv', 'validate'), { recursive: true })
  await removeNewerRules(work)
  const paths = ['envoy-api', 'xds', 'googleapis', 'pgv'].map((path) => ({ path }))
  await writeFile(join(work, 'buf.yaml'), JSON.stringify({ version: 'v2', modules: paths }))
  const files = used.flatMap((name) => ['--path', `envoy-api/envoy/${name}.proto`])
  const output = ['--output', '../types.binpb', '--as-file-descriptor-set', '--exclude-source-info']
  await run(buf, ['build', '.', ...output, ...files], {
    cwd: work,
    env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: work },
  })
  await rm(work, { recursive: true })
}

/** Some protos use the validation rule `ignore_empty`, which the validate.proto beside them does not have yet. */
async function removeNewerRules(work: string): Promise<void> {
  for (const file of await readdir(work, { recursive: true })) {
    if (!file.endsWith('.proto')) continue
    const text = await readFile(join(work, file), 'utf8')
    if (text.includes('ignore_empty')) await writeFile(join(work, file), text.replace(/,? *ignore_empty: true/g, ''))
  }
}

const source = await readFile(protoPackage, 'utf8')
const version = createHash('sha256').update(source).update(used.join('\n')).digest('hex').slice(0, 16)
const folder = await cached({ name: 'envoy-types', version }, compile)
await mkdir(dirname(typesFile), { recursive: true })
await copyFile(join(folder, 'types.binpb'), typesFile)
