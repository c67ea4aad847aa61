import { InvalidArgumentError, Option } from 'commander'
import { type ControllerName, controllerNames } from '../../controllers/shared/names.ts'

/** Flags in the form that manifests of Go programs write them: `--flag`, `--flag=false`, `--flag=:8081`. */

export function switchOption(flag: string, description: string, fallback: boolean): Option {
  return new Option(`${flag} [boolean]`, description)
    .argParser((text: string) => {
      if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('It must be true or false.')
      return text === 'true'
    })
    .preset('true')
    .default(fallback)
}

export type BindAddress = 'off' | { readonly host?: string; readonly port: number }

/** `0` is off, `:8081` every address of the machine. */
export function bindAddressOption(flag: string, what: string, fallback: string): Option {
  return new Option(`${flag} <address:port>`, `where ${what} is served; 0 for nowhere`)
    .argParser(parseBindAddress)
    .default(parseBindAddress(fallback), fallback)
}

function parseBindAddress(text: string): BindAddress {
  if (text === '0') return 'off'
  const [, host = '', digits = ''] = /^(.*):(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  if (digits === '' || port > 65_535)
    throw new InvalidArgumentError('It must be an address and a port, e.g. :8081, or 0.')
  return host === '' ? { port } : { host: host.replace(/^\[(.*)\]$/, '$1'), port }
}

/** `infra,virtualingress`: for an installation that has a part of oooi only. */
export function controllersOption(): Option {
  return new Option('--controllers <list>', `which parts run: ${controllerNames.join(', ')}`)
    .argParser((text: string): ControllerName[] => {
      const asked = text.split(',').map((name) => name.trim())
      const unknown = asked.filter((name) => !controllerNames.some((known) => known === name))
      if (unknown.length > 0) throw new InvalidArgumentError(`It must be one or more of ${controllerNames.join(', ')}.`)
      return controllerNames.filter((name) => asked.includes(name))
    })
    .default([...controllerNames], 'all')
}
