import { join } from 'node:path'
import { run } from '../host/command.ts'

export interface Certificate {
  readonly name: string
  /** As OpenSSL writes them: `DNS:api.example.com`, `IP:192.0.2.1`. */
  readonly subjectAltNames: readonly string[]
}

export const caFile = 'ca.crt'

export function certificateFile(name: string): string {
  return `${name}.crt`
}

export function keyFile(name: string): string {
  return `${name}.key`
}

/** A certificate authority that lives as long as the lab, and what it signs. */
export async function makeCertificates(directory: string, certificates: readonly Certificate[]): Promise<void> {
  await openssl(directory, 'ca', ['-subj', '/CN=oooi lab CA', '-addext', 'keyUsage=critical,keyCertSign,cRLSign'])
  await Promise.all(certificates.map((certificate) => sign(directory, certificate)))
}

function sign(directory: string, certificate: Certificate): Promise<void> {
  return openssl(directory, certificate.name, [
    ...['-subj', `/CN=${certificate.name}`],
    ...['-CA', join(directory, caFile), '-CAkey', join(directory, keyFile('ca'))],
    ...['-addext', 'basicConstraints=critical,CA:FALSE', '-addext', 'extendedKeyUsage=serverAuth'],
    ...['-addext', `subjectAltName=${certificate.subjectAltNames.join(',')}`],
  ])
}

async function openssl(directory: string, name: string, args: readonly string[]): Promise<void> {
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-noenc']
  const files = ['-keyout', join(directory, keyFile(name)), '-out', join(directory, certificateFile(name))]
  await run('openssl', ['req', '-x509', '-days', '2', ...newKey, ...files, ...args], { diesWithUs: true })
}
