/** What is looked at of an Ingress, and of the Services it names. */
export interface RoutedIngress {
  readonly spec: {
    readonly tls?: readonly { readonly hosts?: readonly string[]; readonly secretName?: string }[]
    readonly rules?: readonly {
      readonly host?: string
      readonly http?: { readonly paths: readonly RoutedPath[] }
    }[]
  }
}

interface RoutedPath {
  readonly path?: string
  readonly pathType: string
  readonly backend: { readonly service?: { readonly name: string } }
}

export interface NginxSettings {
  readonly directory: string
  readonly httpPort: number
  readonly httpsPort: number
}

/**
 * An Ingress as the configuration of nginx: a small renderer for the tests, since no ingress controller can be had here.
 * Requests go to the addresses of the pods, as with the real controllers; a Service without any is a 503.
 */
export function nginxConfiguration(
  ingress: RoutedIngress | undefined,
  addresses: ReadonlyMap<string, readonly string[]>,
  settings: NginxSettings,
): string {
  const { directory, httpPort, httpsPort } = settings
  const rules = ingress?.spec.rules ?? []
  const services = [...addresses].filter(([, pods]) => pods.length > 0)
  const upstreams = services.map(
    ([name, pods]) => `upstream ${name} { ${pods.map((pod) => `server ${pod};`).join(' ')} }`,
  )
  const servers = rules.map(({ host = '_', http }) => {
    const secret = ingress?.spec.tls?.find(({ hosts }) => hosts?.includes(host))?.secretName
    const tls = secret
      ? `listen ${httpsPort} ssl; ssl_certificate ${directory}/${secret}.crt; ssl_certificate_key ${directory}/${secret}.key;`
      : ''
    const paths = http?.paths.map((path) => location(path, addresses)).join('\n') ?? ''
    return `server { listen ${httpPort}; ${tls} server_name ${host};\n${paths}\n}`
  })
  return `daemon off;
worker_processes 1;
pid ${directory}/nginx.pid;
error_log stderr warn;
events { worker_connections 256; }
http {
access_log off;
client_body_temp_path ${directory}; proxy_temp_path ${directory}; fastcgi_temp_path ${directory};
uwsgi_temp_path ${directory}; scgi_temp_path ${directory};
map $http_upgrade $connection_upgrade { default upgrade; '' close; }
server { listen ${httpPort} default_server; return 404; }
${upstreams.join('\n')}
${servers.join('\n')}
}
`
}

function location(
  { path = '/', pathType, backend }: RoutedPath,
  addresses: ReadonlyMap<string, readonly string[]>,
): string {
  const where = pathType === 'Exact' ? `= ${path}` : path
  const name = backend.service?.name ?? ''
  if ((addresses.get(name) ?? []).length === 0) return `location ${where} { return 503; }`
  const upgrade =
    'proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_upgrade;'
  return `location ${where} { proxy_pass http://${name}; proxy_set_header Host $host; ${upgrade} proxy_read_timeout 3600s; }`
}
