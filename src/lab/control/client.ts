import { existsSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { failed, ok, type Result } from '../../core/result.ts'
import { labRoot } from '../ledger/ledger.ts'
import { livingLabs } from '../ledger/remains.ts'
import { controlSocket } from './server.ts'

/** A running lab, seen from another process. */
export interface LabClient {
  readonly id: string
  readonly directory: string
  /** One order, such as `ask('/break', { fault: 'dns' })`. A refusal is a problem with the lab's own sentence. */
  ask<Document>(order: string, parameters?: Readonly<Record<string, string>>): Promise<Result<Document>>
}

/** The lab that is meant: the one with this id, or the only one there is. */
export function findLab(id: string | undefined, root: string = labRoot): Result<LabClient> {
  const ids = livingLabs(root).filter((name) => existsSync(join(root, name, controlSocket)))
  const noLab = (message: string): Result<never> => failed({ reason: 'LabNotRunning', message })
  if (id !== undefined && !ids.includes(id)) {
    return noLab(`there is no lab ${id} running on this machine${ids.length > 0 ? `, but ${ids.join(', ')}` : ''}`)
  }
  const [only, second] = id === undefined ? ids : [id]
  if (only === undefined) return noLab('no lab is running on this machine: `oooi lab` in another terminal starts one')
  if (second !== undefined) return noLab(`several labs are running: name one with --lab (${ids.join(', ')})`)
  return ok(clientOf(only, join(root, only)))
}

function clientOf(id: string, directory: string): LabClient {
  return {
    id,
    directory,
    ask: (order, parameters = {}) =>
      new Promise((resolve) => {
        const refuse = (message: string): void => resolve(failed({ reason: 'LabNotRunning', message }))
        const path = `${order}?${new URLSearchParams(parameters)}`
        const asking = request({ socketPath: join(directory, controlSocket), path, method: 'POST' }, (response) => {
          response.setEncoding('utf8')
          let body = ''
          response.on('data', (text: string) => {
            body += text
          })
          response.on('end', () => {
            const document = JSON.parse(body)
            if (response.statusCode === 200) resolve(ok(document))
            else resolve(failed({ reason: 'LabOrderRefused', message: document.message }))
          })
        })
        asking.on('error', (error) => refuse(`lab ${id} does not answer (${error.message})`))
        asking.end()
      }),
  }
}
