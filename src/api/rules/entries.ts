import type { Rule } from './rule.ts'

/** One of several values that a rule looks at, and the field it stands in. */
export interface Entry<Item> {
  readonly field: string
  readonly item: Item
}

/** The entries of a list that stands at `field`; those that are missing or unreadable are left out. */
export function entriesOf<Item>(field: string, list: readonly (Item | undefined)[] | undefined): Entry<Item>[] {
  return (list ?? []).flatMap((item, index) => (item === undefined ? [] : [{ field: `${field}[${index}]`, item }]))
}

/** What such a rule says for itself, however it is checked. */
type RuleText<Value> = Pick<Rule<Value>, 'name' | 'field' | 'message' | 'only' | 'cel' | 'subject'>

interface EachRule<Value, Item> extends RuleText<Value> {
  readonly entries: (value: Value) => readonly Entry<Item>[]
  readonly isRight: (item: Item, value: Value) => boolean
}

/** A rule that each entry of a list keeps or breaks for itself. */
export function eachRule<Value, Item>({ entries, isRight, ...text }: EachRule<Value, Item>): Rule<Value> {
  const culprits = (value: Value) =>
    entries(value)
      .filter(({ item }) => !isRight(item, value))
      .map(({ field }) => field)
  return { ...text, culprits, check: (value) => culprits(value).length === 0 }
}

interface DistinctRule<Value> extends RuleText<Value> {
  readonly keys: (value: Value) => readonly Entry<string | number>[]
}

/** No key twice; the second one is at fault. */
export function distinctRule<Value>({ keys, ...text }: DistinctRule<Value>): Rule<Value> {
  const culprits = (value: Value) => {
    const seen = new Set<string | number>()
    return keys(value).flatMap(({ field, item }) => {
      if (seen.has(item)) return [field]
      seen.add(item)
      return []
    })
  }
  return { ...text, culprits, check: (value) => culprits(value).length === 0 }
}
