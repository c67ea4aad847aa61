import { stringify } from 'yaml'

/** As kubectl reads it, in YAML 1.1, where a bare `y` or `0o7` is no text: every text is quoted. */
export function toYaml(documents: readonly object[]): string {
  return documents
    .map((document) =>
      stringify(document, {
        version: '1.1',
        defaultStringType: 'QUOTE_DOUBLE',
        defaultKeyType: 'PLAIN',
        lineWidth: 0,
        aliasDuplicateObjects: false,
      }),
    )
    .join('---\n')
}
