import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { arch } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { exitCode } from '../src/cli/exit.ts'
import { toolPath } from '../src/lab/host/command.ts'
import { findTool, labTools, missingPackages, type Tool, testTools } from '../src/lab/host/tools.ts'

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

/** Somebody else may hold the lock, as a fresh machine's own first upgrade does: wait, and try three times. */
async function aptGet(args: readonly string[]): Promise<boolean> {
  for (let attempt = 1; attempt <= 3; attempt++) {
    if (attempt > 1) await sleep(5000)
    if (await succeeds('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=300', ...args])) return true
  }
  return false
}

function succeeds(command: string, args: readonly string[]): Promise<boolean> {
  const env = { PATH: toolPath, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' }
  return new Promise((resolve) => {
    spawn(command, args, { stdio: ['ignore', process.stderr, process.stderr], env })
      .on('error', () => resolve(false))
      .on('close', (code) => resolve(code === 0))
  })
}

function say(text: string, code: number): number {
  process.stderr.write(`${text}\n`)
  return code
}

process.exitCode = await setUpHost()
