import { chmod, copyFile, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { releasedTypesName, typesFile } from '../src/engines/envoy/xds/types-file.ts'

/**
 * The release: a folder that needs nothing but Node. What only some commands load stands in files of its own, since Node
 * keeps the text of every file it loads in memory.
 */
const folder = 'dist/oooi'

await rm(folder, { recursive: true, force: true })
await build({
  entryPoints: { oooi: 'src/main.ts' },
  outdir: folder,
  outExtension: { '.js': '.mjs' },
  // Beside each other, so that a file the program reads lies beside whichever part reads it.
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'linked',
  // CommonJS packages inside an ES module still call require for Node's own modules.
  banner: {
    js: "#!/usr/bin/env node\nimport { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
})
await copyFile(typesFile, join(folder, releasedTypesName))
const files = await readdir(folder, { recursive: true, withFileTypes: true })
const sizes = await Promise.all(
  files.filter((file) => file.isFile()).map((file) => stat(join(file.parentPath, file.name))),
)
await chmod(join(folder, 'oooi.mjs'), 0o755)
const kibibytes = Math.round(sizes.reduce((sum, { size }) => sum + size, 0) / 1024)
process.stdout.write(`${folder}: ${sizes.length} files, ${kibibytes} KiB\n`)
