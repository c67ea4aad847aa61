import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What the API server notes of a request, as far as rights go. */
export interface AuditedRequest {
  readonly user: string
  readonly verb: string
  readonly group: string
  /** With its subresource: `infras/status`. */
  readonly resource: string
  readonly status: number
}

interface AuditEvent {
  readonly verb: string
  readonly user: { readonly username: string }
  readonly objectRef?: { readonly apiGroup?: string; readonly resource?: string; readonly subresource?: string }
  readonly responseStatus?: { readonly code?: number }
}

const policyOf = (directory: string): string => join(directory, 'audit-policy.json')
const logOf = (directory: string): string => join(directory, 'audit.log')

export async function writeAuditPolicy(directory: string): Promise<void> {
  const policy = {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived'],
    rules: [{ level: 'Metadata' }],
  }
  await writeFile(policyOf(directory), JSON.stringify(policy))
}

export function auditFlags(directory: string): string[] {
  return [`--audit-policy-file=${policyOf(directory)}`, `--audit-log-path=${logOf(directory)}`]
}

export async function readAudit(directory: string): Promise<AuditedRequest[]> {
  const text = await readFile(logOf(directory), 'utf8')
  const lines = text.split('\n').slice(0, -1)
  return lines.flatMap((line) => {
    const { user, verb, objectRef = {}, responseStatus }: AuditEvent = JSON.parse(line)
    const { apiGroup: group = '', resource, subresource } = objectRef
    if (resource === undefined) return []
    const whole = subresource === undefined ? resource : `${resource}/${subresource}`
    return [{ user: user.username, verb, group, resource: whole, status: responseStatus?.code ?? 0 }]
  })
}
