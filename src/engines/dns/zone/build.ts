import { defaultTtlSeconds } from '../../../core/dns/names.ts'
import { reverseName, reverseZones } from '../../../core/dns/reverse.ts'
import { cidrContains } from '../../../core/net/cidr.ts'
import { serverFailure } from '../codec/answer.ts'
import { encodeName } from '../codec/name.ts'
import { recordType } from '../codec/numbers.ts'
import { type Address, ipv4Of, sameAddress } from './address.ts'
import type { MachineNames } from './machines.ts'
import { NameTree } from './name-tree.ts'
import { addressSets, recordSet } from './record-set.ts'
import { type NameRecord, unknownAddresses, type ViewName, type ZoneSource } from './records.ts'

/** Makes the names of one view; the machines are shared by both. `seed` is the one of the queries that will come. */
export function buildView(source: ZoneSource, view: ViewName, machines: MachineNames, seed: number): NameTree {
  const authorityOf = (domain: string) => ({
    nameServer: encodeName(nameServerOf(domain)),
    mailbox: encodeName(`hostmaster.${domain}`),
    serial: source.serial,
  })
  const names = new NameTree(seed, view, machines, authorityOf(source.domains[0]))
  for (const zone of zonesOf(source)) {
    names.addZone(zone, source.domains.includes(zone) ? authorityOf(zone) : undefined)
  }
  const served = mergeOwners([...source.fixed, ...nameServerRecords(source)])
  for (const record of served) addRecord(names, record, view)
  for (const record of mergeOwners(source.found)) {
    if (names.has(record.owner)) continue
    addRecord(names, record, view)
    served.push(record)
  }
  addPointers(names, source, served)
  return names
}

/** Parents before children. */
function zonesOf(source: ZoneSource): string[] {
  const reverse = source.vlan === undefined ? [] : reverseZones(source.vlan)
  const labelCount = (name: string) => name.split('.').length
  return [...new Set([...source.domains, ...reverse])].sort((a, b) => labelCount(a) - labelCount(b))
}

/** This server, as each cluster's zone calls it: no cluster has to know the name of another. */
function nameServerOf(domain: string): string {
  return `ns.${domain}`
}

/** Unless the manifest gives the name itself. */
function nameServerRecords(source: ZoneSource): NameRecord[] {
  return [...new Set(source.domains)]
    .map(nameServerOf)
    .filter((owner) => !source.fixed.some((record) => record.owner === owner))
    .map((owner) => ({ owner, ...source.nameServer, ttlSeconds: defaultTtlSeconds }))
}

/** Entries of one name are one set of records; the shortest TTL holds for all of them (RFC 2181 section 5.2). */
function mergeOwners(records: readonly NameRecord[]): NameRecord[] {
  const byOwner = new Map<string, NameRecord>()
  for (const record of records) {
    const present = byOwner.get(record.owner)
    byOwner.set(record.owner, present === undefined ? record : merge(present, record))
  }
  return [...byOwner.values()]
}

function merge(a: NameRecord, b: NameRecord): NameRecord {
  return {
    owner: a.owner,
    vlan: union(a.vlan, b.vlan),
    pod: a.pod === unknownAddresses || b.pod === unknownAddresses ? unknownAddresses : union(a.pod, b.pod),
    ttlSeconds: Math.min(a.ttlSeconds, b.ttlSeconds),
  }
}

function union(a: readonly Address[], b: readonly Address[]): Address[] {
  return [...a, ...b.filter((candidate) => !a.some((present) => sameAddress(present, candidate)))]
}

function addRecord(names: NameTree, record: NameRecord, view: ViewName): void {
  const addresses = record[view]
  if (addresses === unknownAddresses) names.add(record.owner, []).failure = serverFailure
  else names.add(record.owner, addressSets(addresses, record.ttlSeconds))
}

/** An address has one name: the first that claims it. */
function addPointers(names: NameTree, source: ZoneSource, served: readonly NameRecord[]): void {
  if (source.vlan === undefined) return
  const named = new Set<number>()
  for (const record of served) {
    if (record.owner.startsWith('*.')) continue
    for (const address of record.vlan) {
      const number = ipv4Of(address)
      if (number === undefined || named.has(number) || !cidrContains(source.vlan, number)) continue
      named.add(number)
      names.add(reverseName(number), [recordSet(recordType.PTR, record.ttlSeconds, [encodeName(record.owner)])])
    }
  }
}
