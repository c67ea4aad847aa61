/**
 * Parts of CEL expressions: the language in which the API server checks objects. All that is used here is known to
 * Kubernetes 1.31 and later.
 *
 * The API server prices an expression before it takes the CRD, by the longest texts and lists that there could be. It
 * knows a length only of what is reached by a path (`self.gateway`, `entry.address`) or cut out of that; a text out of
 * a computed list counts as endless. So nothing here puts texts into lists.
 *
 * At each step of a path it makes a map of all fields that are possible there, and it asks every rule on every write,
 * also of the status. What a rule costs is the number of these steps: so it stands as close to its fields as it can,
 * asks first what ends it, and nothing twice.
 */
export type Cel = string

/** A text literal; single quotes and no escapes, so that it stays readable inside YAML. */
export function quoted(text: string): Cel {
  if (/['\n]/.test(text)) throw new Error(`${JSON.stringify(text)} cannot be written into a rule`)
  return text.includes('\\') ? `r'${text}'` : `'${text}'`
}

export function or(...terms: readonly (Cel | undefined)[]): Cel {
  const alternatives = terms.flatMap((term) => (term ? alternativesOf(term) : []))
  return [...new Set(alternatives)].join(' || ')
}

/** The parts between `||`, so that a guard which several parts of a rule ask for is there once. */
function alternativesOf(term: Cel): Cel[] {
  const parts: Cel[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at < term.length; at++) {
    if ('(['.includes(term.charAt(at))) depth++
    if (')]'.includes(term.charAt(at))) depth--
    if (depth === 0 && term.startsWith(' || ', at)) {
      parts.push(term.slice(start, at))
      start = at + ' || '.length
    }
  }
  return [...parts, term.slice(start)]
}

export function and(...terms: readonly Cel[]): Cel {
  return terms.length === 1 ? terms.join() : terms.map(inParentheses).join(' && ')
}

function inParentheses(term: Cel): Cel {
  return term.includes(' || ') ? `(${term})` : term
}

/** `self.a.b` for the path `a.b`, `self` for the empty one; words that CEL keeps for itself are escaped. */
export function field(path: string, from: Cel = 'self'): Cel {
  return [from, ...path.split('.').filter(Boolean).map(escaped)].join('.')
}

function escaped(name: string): string {
  return reservedWords.has(name) ? `__${name}__` : name
}

const reservedWords = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)

/**
 * True where any field on the way to the path is missing: the beginning of a rule about an optional field. What leads
 * to `given` has been asked for before.
 */
export function missing(path: string, { from = 'self', given = '' }: Start = {}): Cel {
  const names = path.split('.').filter(Boolean)
  const isThere = names.map((name, index) => {
    const part = names.slice(0, index + 1).join('.')
    return alwaysThere.has(name) || `${given}.`.startsWith(`${part}.`) ? undefined : `!has(${field(part, from)})`
  })
  return or(...isThere)
}

/** Where a path begins, and how much of it is known to be there. */
export interface Start {
  readonly from?: Cel
  readonly given?: string
}

/** Wherever our kinds have these, they are required or filled in; without them the API server asks no rule. */
const alwaysThere = new Set(['networkConfig', 'infraComponents', 'leaseConfig', 'cidr'])

/**
 * `check` holds for every value found by a path such as `reservations[].address`; where there is none, all is well.
 * `entry` is what entries of the list are called; two loops inside each other need two names.
 */
export function every(path: string, check: (value: Cel) => Cel, entry = 'entry', start: Start = {}): Cel {
  const [fields = '', ...deeper] = path.split('[]')
  const value = field(fields, start.from)
  const body =
    deeper.length === 0
      ? check(value)
      : `${value}.all(${entry}, ${every(deeper.join('[]'), check, `${entry}Part`, { from: entry })})`
  return or(missing(fields, start), body)
}

/**
 * Each two entries of a list differ, among its first ones. The work grows with the square of their number, and is done
 * anew on every write of the object, also of its status: 16 entries take some milliseconds. Longer lists are compared
 * in full by `oooi` itself, in files and when it acts on the object.
 *
 * Entries whose `number` differs are not compared: all numbers are read once, and what is no text may be in a list.
 */
export function eachTwo(list: Cel, differ: (one: Cel, other: Cel) => Cel, number?: string): Cel {
  const positions = `[${Array.from({ length: 16 }, (_, index) => index).join(', ')}]`
  const inner = or('j >= i', number && 'numbers[i] != numbers[j]', differ(`${list}[i]`, `${list}[j]`))
  const pairs = `${positions}.all(i, i >= ${list}.size() || ${positions}.all(j, ${inner}))`
  return number === undefined ? pairs : named('numbers', `${list}.map(entry, entry.${number})`, pairs)
}

/** An IPv4 address as a number, as `core/net` has it; CEL itself cannot compare addresses. */
export function ipv4Number(address: Cel): Cel {
  return `[${address}.split('.').map(octet, int(octet))].map(o, o[0] * 16777216 + o[1] * 65536 + o[2] * 256 + o[3])[0]`
}

/** A value that is worked out once for all entries of a list. CEL has no other way to give it a name. */
export function named(name: string, value: Cel, check: Cel): Cel {
  return `[${value}].all(${name}, ${check})`
}

/** The first address of an IPv4 network, as text. */
function firstAddress(cidr: Cel): Cel {
  return `${cidr}.substring(0, ${cidr}.indexOf('/'))`
}

/** The last address of a network given as text and as what that says, as a number: texts put together have no known length. */
export function lastNumber(text: Cel, network: Cel): Cel {
  const sizes = `[${Array.from({ length: 33 }, (_, prefixLength) => 2 ** (32 - prefixLength)).join(', ')}]`
  return `${ipv4Number(firstAddress(text))} + ${sizes}[${network}.prefixLength()] - 1`
}

/** The address without the prefix length that may follow it. */
export function withoutPrefixLength(text: Cel): Cel {
  return `(${text}.contains('/') ? ${text}.substring(0, ${text}.indexOf('/')) : ${text})`
}

/** The two ends of `first-last`; of a single address it is both. */
export function rangeEnds(text: Cel): readonly [first: Cel, last: Cel] {
  const end = (part: Cel) => `(${text}.contains('-') ? ${text}.${part} : ${text}).trim()`
  return [end(`substring(0, ${text}.indexOf('-'))`), end(`substring(${text}.indexOf('-') + 1)`)]
}
