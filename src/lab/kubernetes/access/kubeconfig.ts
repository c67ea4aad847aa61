import type { KeyAndCertificate } from './certificates.ts'

/** A self-contained kubeconfig; JSON, which is YAML too. */
export function kubeconfigText(url: string, authority: string, user: string, pair: KeyAndCertificate): string {
  const name = 'under-test'
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server: url, 'certificate-authority-data': base64(authority) } }],
    contexts: [{ name, context: { cluster: name, user } }],
    users: [
      {
        name: user,
        user: { 'client-certificate-data': base64(pair.certificate), 'client-key-data': base64(pair.key) },
      },
    ],
  }
  return `${JSON.stringify(config, undefined, 2)}\n`
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
