/** What a Markdown document refers to, as far as a program can tell. */
export interface References {
  /** Targets of links, relative to the document: `../adr/README.md#title`. */
  readonly links: readonly string[]
  /** Anchors that others may link to, one for each heading. */
  readonly anchors: ReadonlySet<string>
  /** Code within the text. */
  readonly spans: readonly string[]
  /** Lines of blocks that show a shell, with continuation lines joined. */
  readonly commands: readonly string[]
}

const fence = /^( *)```(\S*)[^\n]*\n([\s\S]*?)^\1```/gm
const shells = new Set(['', 'sh', 'bash', 'shell', 'console'])

export function referencesIn(markdown: string): References {
  const blocks = [...markdown.matchAll(fence)].filter(([, , language = '']) => shells.has(language))
  const prose = markdown.replace(fence, '')
  return {
    links: matches(prose.replace(/`[^`]*`/g, ''), /\]\(([^)\s]+)\)/g),
    anchors: new Set(matches(prose, /^#+ +(.*)$/gm).map(anchorOf)),
    spans: matches(prose, /`([^`]+)`/g).map((span) => span.replace(/\s*\n\s*/g, ' ')),
    commands: blocks.flatMap(([, , , body = '']) => body.replace(/\\\n\s*/g, ' ').split('\n')),
  }
}

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, found = '']) => found)
}

/** As GitHub makes it: small letters, no punctuation, hyphens for blanks. */
function anchorOf(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-')
}
