import { parseArgs } from 'node:util'
import { folderVariables, type Target, targets } from './components.ts'
import { mayNotSkip } from './locate.ts'
import { CannotProvide, provideAssets } from './provide.ts'

const usage = `usage: node tools/kube/setup.ts [${targets.join('|')}]...
Provides the binaries that the Kubernetes tests run and prints their folder; default: control-plane.
`

/** Exit codes: 0 there (or cannot be had, outside CI), 1 failed, 2 wrong arguments. */
async function main(): Promise<number> {
  const { positionals } = parseArgs({ allowPositionals: true })
  const wanted = positionals.length > 0 ? positionals : ['control-plane']
  for (const name of wanted) {
    const target = targets.find((known): known is Target => known === name)
    if (!target) {
      process.stderr.write(`"${name}" is no target\n${usage}`)
      return 2
    }
    try {
      const folder = await provideAssets(target, { env: process.env, output: process.stderr })
      process.stdout.write(`${folder}\n`)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      process.stderr.write(`${target}: ${message}\n`)
      if (!(error instanceof CannotProvide) || mayNotSkip(process.env)) return 1
      process.stderr.write(
        `THE TESTS THAT NEED IT WILL BE SKIPPED. Or set ${folderVariables[target]} to a folder with the binaries.\n`,
      )
    }
  }
  return 0
}

process.exitCode = await main()
