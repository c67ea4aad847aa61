import { readdirSync } from 'node:fs'
import { arch } from 'node:os'
import { exitCode } from '../src/cli/exit.ts'
import { findTool, labTools, missingPackages, type Tool, testTools } from '../src/lab/host/tools.ts'
import { aptGet } from './apt-get.ts'

/** Brings the programs that the lab and the tests run onto a Debian machine; does nothing where they are there already. */

const wanted = [...labTools, ...testTools].filter(isUsefulHere)

function isUsefulHere(tool: Tool): boolean {
  return !tool.command.startsWith('qemu-') || arch() === 'x64'
}

async function setUpHost(): Promise<number> {
  const required = missingPackages(wanted.filter((tool) => !tool.optional))
  const optional = missingPackages(wanted.filter((tool) => tool.optional)).filter((name) => !required.includes(name))
  const all = [...required, ...optional]
  // The QEMU VM's kernel is fetched by name, which images without package lists do not know.
  const needsLists = findTool('apt-get') !== undefined && process.getuid?.() === 0 && !hasPackageLists()
  if (all.length === 0 && needsLists) return (await aptGet(['update'])) ? exitCode.ok : exitCode.host
  if (all.length === 0)
    return say(`host: all ${wanted.length} programs the lab and the tests run are installed`, exitCode.ok)
  const byHand = `install these packages yourself: ${all.join(' ')}`
  if (!findTool('apt-get')) return say(`host: this is no Debian or Ubuntu; ${byHand}`, exitCode.host)
  if (process.getuid?.() !== 0) {
    return say(`host: run as root: apt-get install --no-install-recommends ${all.join(' ')}`, exitCode.host)
  }
  say(`host: installing ${all.join(' ')}`, exitCode.ok)
  if (!(await aptGet(['update'])))
    say('host: the package lists could not be renewed; going on with those that are here', 0)
  if (required.length > 0 && !(await aptGet(install(required))))
    return say(`host: apt-get failed; ${byHand}`, exitCode.host)
  if (optional.length > 0 && !(await aptGet(install(optional)))) {
    say(`host: could not install ${optional.join(' ')}; the lab leaves out what needs it`, exitCode.ok)
  }
  const still = missingPackages(wanted.filter((tool) => !tool.optional))
  return still.length === 0
    ? say('host: ready', exitCode.ok)
    : say(`host: still missing: ${still.join(' ')}`, exitCode.host)
}

function hasPackageLists(): boolean {
  try {
    return readdirSync('/var/lib/apt/lists').some((name) => name.includes('_Packages'))
  } catch {
    return false
  }
}

function install(packages: readonly string[]): string[] {
  return ['install', '--yes', '--no-install-recommends', ...packages]
}

function say(text: string, code: number): number {
  process.stderr.write(`${text}\n`)
  return code
}

process.exitCode = await setUpHost()
