import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { type Answer, type RequestOptions, requestJson } from '../access/request.ts'

/** The kubeconfigs that the lab writes: JSON, with everything inside. */
const kubeconfig = z.object({
  clusters: z.tuple([
    z.object({ cluster: z.object({ server: z.string(), 'certificate-authority-data': z.string() }) }),
  ]),
  users: z.tuple([
    z.object({ user: z.object({ 'client-certificate-data': z.string(), 'client-key-data': z.string() }) }),
  ]),
})

export type Ask = (path: string, options?: RequestOptions) => Promise<Answer<unknown>>

export function apiOf(kubeconfigPath: string): Ask {
  const { clusters, users } = kubeconfig.parse(JSON.parse(readFileSync(kubeconfigPath, 'utf8')))
  const { server, 'certificate-authority-data': authority } = clusters[0].cluster
  const { 'client-certificate-data': certificate, 'client-key-data': key } = users[0].user
  const pair = { certificate: decoded(certificate), key: decoded(key) }
  return (path, options) =>
    requestJson(new URL(path, server), decoded(authority), pair, { timeoutMs: 10_000, ...options })
}

function decoded(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8')
}
