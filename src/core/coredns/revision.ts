import { block, nested } from './syntax.ts'

/** Asked on loopback, CoreDNS answers it with the revision of the Corefile that it has taken. */
export const revisionName = 'revision.oooi.invalid'

/**
 * Makes CoreDNS able to tell which Corefile it serves: it keeps the old one for as long as it pleases, and for ever if
 * the new one is wrong. A comment would not do, because what was not parsed is no change to it.
 */
export function withRevision(corefile: string, port: number, revision: string): string {
  const answer = nested('template IN TXT', `answer "{{ .Name }} 0 IN TXT ${revision}"`)
  return `${corefile}${block(`${revisionName}:${port}`, 'bind 127.0.0.1', ...answer)}`
}
