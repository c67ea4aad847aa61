import { kinds } from '../../src/api/kinds.ts'
import { notYet } from '../../src/api/notyet.ts'
import { reasons } from '../../src/api/reasons.ts'
import { kindReference } from './kind-reference.ts'

interface GeneratedFile {
  readonly path: string
  readonly content: string
}

/** Everything that is made from the sources. Pure but for reading the files that are generated only in part. */
export async function generatedFiles(read: (path: string) => Promise<string>): Promise<GeneratedFile[]> {
  return [
    ...Object.values(kinds).map((definition) => ({
      path: `docs/reference/${definition.kind.toLowerCase()}.md`,
      content: kindReference(definition),
    })),
    { path: 'docs/reference/reasons.md', content: reasonsReference() },
    { path: 'README.md', content: withNotYet(await read('README.md')) },
  ]
}

const blameText = { input: 'the manifest', host: 'the machine', runtime: 'the moment: it may heal by itself' } as const

function reasonsReference(): string {
  const rows = Object.entries(reasons)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, { meaning, remedy, blame }]) => `| \`${name}\` | ${meaning} | ${remedy} | ${blameText[blame]} |`)
  return `# Reasons

Every reason oooi gives for not doing what it was asked. Messages, \`-o json\` and logs carry its name.

| reason | meaning | what to do | what has to change |
| --- | --- | --- | --- |
${rows.join('\n')}
`
}

/** The part of the README that lists what the API has and no engine does. */
function withNotYet(readme: string): string {
  const rows = [...new Set(notYet.map(({ what }) => what))].map((what) => {
    const fields = notYet.filter((entry) => entry.what === what).flatMap((entry) => Object.values(entry.fields))
    return `- ${what}: ${[...new Set(fields)].map((field) => `\`${field}\``).join(', ')}`
  })
  return readme.replace(
    /(<!-- not-yet:begin[^\n]*-->\n)[\s\S]*?(<!-- not-yet:end -->)/,
    (_, begin: string, end: string) => `${begin}${rows.join('\n')}\n${end}`,
  )
}
