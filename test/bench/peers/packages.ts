import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { toolPath } from '../../../src/lab/host/command.ts'
import { findTool, missingPackages, type Tool } from '../../../src/lab/host/tools.ts'

/**
 * Brings missing Debian packages where that is possible; afterwards `findTool` tells what is there. Their services are
 * neither enabled nor started: a machine that was only measured on must not become a DHCP server by it.
 */
export async function bring(tools: readonly Tool[], say: (line: string) => void): Promise<void> {
  const packages = missingPackages(tools).flatMap((names) => names.split(' '))
  if (packages.length === 0) return
  if (!findTool('apt-get') || process.getuid?.() !== 0) {
    say(`not installed: ${packages.join(' ')}; as root: apt-get install --no-install-recommends ${packages.join(' ')}`)
    return
  }
  say(`installing ${packages.join(' ')}`)
  await aptGet(['update'])
  // One by one if they do not go together: what one distribution lacks must not cost us the others.
  if (await aptGet(['install', '--yes', '--no-install-recommends', ...packages])) return
  for (const name of packages) await aptGet(['install', '--yes', '--no-install-recommends', name])
}

/** The programs by which packages enable and start their services; all of them belong to an essential package. */
const serviceStarters = ['/usr/sbin/invoke-rc.d', '/usr/bin/deb-systemd-invoke', '/usr/bin/deb-systemd-helper']

/** In a mount namespace of its own, where those programs do nothing; whoever else uses them is not touched by it. */
async function aptGet(args: readonly string[]): Promise<boolean> {
  const hide = serviceStarters.map((path) => `{ [ ! -e ${path} ] || mount --bind /bin/true ${path}; }`).join(' && ')
  const script = `${hide} && exec apt-get -qq -o DPkg::Lock::Timeout=300 "$@"`
  const command = ['--mount', '--propagation', 'private', '--', '/bin/sh', '-c', script, 'sh', ...args]
  for (let attempt = 1; attempt <= 2; attempt++) {
    if (attempt > 1) await sleep(5000)
    if (await succeeds('unshare', command)) return true
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
