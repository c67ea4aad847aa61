/** What is needed to talk to one cluster: where it is and who we are there. Made by `kubeconfig.ts` or `in-cluster.ts`. */
export interface ClusterAccess {
  /** `https://host:port`, with a path if the API is not at the root. */
  readonly server: string
  /** The namespace of the context: where commands without `-n` look. */
  readonly namespace: string
  /** Where this came from, for messages: `context 'lab' of /home/me/.kube/config`. */
  readonly origin: string
  readonly proxyUrl?: string | undefined
  /** Where connections go, whatever the name in `server` resolves to; the certificate is still that name's. */
  readonly dial?: { readonly host: string; readonly port: number } | undefined
  /** Called for every request, so it answers from memory nearly always. `renew` after the server refused what it gave. */
  credentials(renew?: boolean): Promise<Credentials>
}

export interface Credentials {
  readonly headers: Readonly<Record<string, string | string[]>>
  /** The same object as long as nothing changed; another one means that connections have to be made anew. */
  readonly tls: TlsMaterial
}

export interface TlsMaterial {
  readonly ca?: string | undefined
  readonly cert?: string | undefined
  readonly key?: string | undefined
  /** The name to expect in the server's certificate instead of the host of the URL. */
  readonly serverName?: string | undefined
  readonly verify: boolean
}

/** The environment variables that say where a cluster is. */
export type Environment = Readonly<Record<string, string | undefined>>
