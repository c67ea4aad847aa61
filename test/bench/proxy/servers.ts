import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { proxyServerSchema } from '../../../src/api/proxyserver.ts'
import { staticConfigOf } from '../../../src/core/proxy/envoy/bootstrap.ts'
import { envoyResourcesOf } from '../../../src/core/proxy/envoy/resources.ts'
import { type Bench, startServer } from '../bench.ts'
import type { RunningContender } from '../harness.ts'
import { isListening } from '../listening.ts'
import { startOooi } from '../oooi.ts'

export interface Listener {
  readonly address: string
  readonly port: number
}

/** A name that is asked for, and where it leads. */
export interface Route {
  readonly hostname: string
  readonly target: Listener
}

function isServing({ address, port }: Listener): (pid: number) => Promise<boolean> {
  return (pid) => isListening(pid, 'tcp', address, port)
}

export function startOurs(
  bench: Bench,
  namespace: string,
  at: Listener,
  routes: readonly Route[],
): Promise<RunningContender> {
  const spec = specOf(at, routes)
  return startOooi(bench, { engine: 'proxy', kind: 'ProxyServer', spec, namespace, isReady: isServing(at) })
}

function specOf(at: Listener, routes: readonly Route[]) {
  return {
    networkConfig: { serverIP: at.address },
    backends: routes.map(({ hostname, target }, index) => ({
      name: `backend-${index}`,
      hostname,
      port: at.port,
      targetAddress: target.address,
      targetPort: target.port,
    })),
  }
}

/** Envoy with the configuration that oooi gives it, one worker, without the access log. */
export function startEnvoy(
  bench: Bench,
  namespace: string,
  at: Listener,
  routes: readonly Route[],
  program: string,
): Promise<RunningContender> {
  const directory = join(bench.directory, 'envoy')
  mkdirSync(directory, { recursive: true })
  const apiVersion = 'hostedcluster.densityops.com/v1alpha1'
  const spec = specOf(at, routes)
  const proxy = proxyServerSchema.parse({ apiVersion, kind: 'ProxyServer', metadata: { name: 'bench' }, spec })
  const resources = envoyResourcesOf(proxy, { podAddresses: [], endpoints: 'inline' })
  const configuration = staticConfigOf(resources, { nodeId: 'bench', adminSocket: join(directory, 'admin.sock') })
  const file = join(directory, 'envoy.json')
  writeFileSync(
    file,
    JSON.stringify(configuration, (field, value) => (field === 'access_log' ? undefined : value)),
  )
  return startServer(bench, {
    what: 'envoy',
    namespace,
    command: [program, '-c', file, '-l', 'error', '--concurrency', '1', '--disable-hot-restart'],
    isReady: isServing(at),
  })
}

/** One worker, passing through by the server name that its preread module finds. */
export function startNginx(
  bench: Bench,
  namespace: string,
  at: Listener,
  routes: readonly Route[],
): Promise<RunningContender> {
  const directory = join(bench.directory, 'nginx')
  mkdirSync(directory, { recursive: true })
  const configuration = `load_module ${nginxStreamModule};
daemon off;
master_process off;
worker_processes 1;
pid ${directory}/nginx.pid;
error_log ${directory}/error.log error;
events { worker_connections 20000; }
stream {
  map $ssl_preread_server_name $target {
${routes.map(({ hostname, target }) => `    ${hostname} ${target.address}:${target.port};`).join('\n')}
  }
  server {
    listen ${at.address}:${at.port} backlog=1024;
    ssl_preread on;
    tcp_nodelay on;
    proxy_connect_timeout 5s;
    proxy_timeout 1h;
    proxy_pass $target;
  }
}
`
  const file = join(directory, 'nginx.conf')
  writeFileSync(file, configuration)
  return startServer(bench, {
    what: 'nginx',
    namespace,
    command: ['nginx', '-c', file, '-e', join(directory, 'error.log')],
    isReady: isServing(at),
  })
}

/** A module of its own in Debian. */
export const nginxStreamModule = '/usr/lib/nginx/modules/ngx_stream_module.so'

/** One thread, passing through by server name, with the time-outs its manual suggests. */
export function startHaproxy(
  bench: Bench,
  namespace: string,
  at: Listener,
  routes: readonly Route[],
): Promise<RunningContender> {
  const directory = join(bench.directory, 'haproxy')
  mkdirSync(directory, { recursive: true })
  const configuration = `global
  nbthread 1
  maxconn 8000
defaults
  mode tcp
  timeout connect 5s
  timeout client 1h
  timeout server 1h
frontend tls
  bind ${at.address}:${at.port}
  tcp-request inspect-delay 5s
  tcp-request content accept if { req_ssl_hello_type 1 }
${routes.map(({ hostname }, index) => `  use_backend backend-${index} if { req_ssl_sni -i ${hostname} }`).join('\n')}
${routes.map(({ target }, index) => `backend backend-${index}\n  server target ${target.address}:${target.port}`).join('\n')}
`
  const file = join(directory, 'haproxy.cfg')
  writeFileSync(file, configuration)
  // -db keeps it in the foreground, in one process.
  return startServer(bench, {
    what: 'haproxy',
    namespace,
    command: ['haproxy', '-db', '-f', file],
    isReady: isServing(at),
  })
}
