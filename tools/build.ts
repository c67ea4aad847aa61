import { chmod, stat } from 'node:fs/promises'
import { build } from 'esbuild'

/** The release: one file that needs nothing but Node. */
const outfile = 'dist/oooi.mjs'

await build({
  entryPoints: ['src/main.ts'],
  outfile,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  sourcemap: true,
  minifySyntax: true,
  legalComments: 'linked',
  // CommonJS packages inside an ES module still call require for Node's own modules.
  banner: {
    js: "#!/usr/bin/env node\nimport { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
})
await chmod(outfile, 0o755)
process.stdout.write(`${outfile}: ${Math.round((await stat(outfile)).size / 1024)} KiB\n`)
