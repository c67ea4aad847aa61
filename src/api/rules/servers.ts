import { type Cel, field as celField, missing, or, withoutPrefixLength } from '../cel.ts'
import { parseServerAddress, single } from './addresses.ts'
import { distinctRule, type Entry, entriesOf } from './entries.ts'
import type { Rule } from './rule.ts'

/** The two ways to write where a component is. */
export interface ServerFields {
  readonly serverIP?: string | undefined
  readonly serverIPs?: readonly (string | undefined)[] | undefined
}

interface Placement<Value> {
  /** Starts the names of the rules. */
  readonly name: string
  /** Where serverIP and serverIPs are, as a prefix: empty, or ending in a dot. */
  readonly prefix: string
  /** Undefined where there is nothing to judge, e.g. because the component is switched off. */
  readonly server: (value: Value) => ServerFields | undefined
  /** In CEL: true where there is nothing to judge. */
  readonly unless?: Cel
}

/** A component has an address, written in one of two ways. */
export function serverRules<Value>({ name, prefix, server, unless }: Placement<Value>): Rule<Value>[] {
  const [one, several] = [celField(`${prefix}serverIP`), celField(`${prefix}serverIPs`)]
  return [
    {
      name: `${name}HasAddress`,
      field: `${prefix}serverIP`,
      message: 'is needed (or serverIPs): the address of this component on the VLAN',
      cel: or(unless, `has(${one})`, `has(${several})`),
      check: (value) => {
        const fields = server(value)
        return fields === undefined || fields.serverIP !== undefined || fields.serverIPs !== undefined
      },
    },
    {
      name: `${name}AddressOnce`,
      field: `${prefix}serverIPs`,
      message: 'must not be given beside serverIP: serverIP is the same as a list of one',
      cel: or(unless, `!has(${one})`, `!has(${several})`),
      check: (value) => {
        const fields = server(value)
        return fields?.serverIP === undefined || fields.serverIPs === undefined
      },
    },
    distinctRule({
      name: `${name}AddressesDistinct`,
      field: `${prefix}serverIPs`,
      message: 'is there twice',
      subject: 'an address',
      cel: or(
        unless,
        missing(`${prefix}serverIPs`),
        `${several}.size() < 2`,
        `${withoutPrefixLength(`${several}[0]`)} != ${withoutPrefixLength(`${several}[1]`)}`,
      ),
      keys: (value) => addressKeys(entriesOf(`${prefix}serverIPs`, server(value)?.serverIPs)),
    }),
  ]
}

export function serverEntries(prefix: string, server: ServerFields | undefined): Entry<string>[] {
  return [...single(`${prefix}serverIP`, server?.serverIP), ...entriesOf(`${prefix}serverIPs`, server?.serverIPs)]
}

/** Where these entries are, and what they say, for the API server. */
export function serverTexts(prefix: string) {
  return {
    texts: [`${prefix}serverIP`, `${prefix}serverIPs[]`],
    addressesIn: (text: Cel) => [withoutPrefixLength(text)],
    readable: (text: Cel, check: (address: Cel) => Cel) =>
      `(isIP(${text}) ? ${check(text)} : !isCIDR(${text}) || ${check(`${text}.substring(0, ${text}.indexOf('/'))`)})`,
  }
}

/** Addresses to compare with each other: those that can be read. */
export function addressKeys(entries: readonly Entry<string>[]): Entry<number>[] {
  return entries.flatMap(({ field, item }) => single(field, parseServerAddress(item)))
}
