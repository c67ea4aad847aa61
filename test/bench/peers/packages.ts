import { findTool, missingPackages, type Tool } from '../../../src/lab/host/tools.ts'
import { aptGet } from '../../../tools/apt-get.ts'

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
  await withoutServices(['update'])
  // One by one if they do not go together: what one distribution lacks must not cost us the others.
  if (await withoutServices(['install', '--yes', '--no-install-recommends', ...packages])) return
  for (const name of packages) await withoutServices(['install', '--yes', '--no-install-recommends', name])
}

/** The programs by which packages enable and start their services; all of them belong to an essential package. */
const serviceStarters = ['/usr/sbin/invoke-rc.d', '/usr/bin/deb-systemd-invoke', '/usr/bin/deb-systemd-helper']

/** In a mount namespace of its own, where those programs do nothing; whoever else uses them is not touched by it. */
async function withoutServices(args: readonly string[]): Promise<boolean> {
  const hide = serviceStarters.map((path) => `{ [ ! -e ${path} ] || mount --bind /bin/true ${path}; }`).join(' && ')
  const shell = ['/bin/sh', '-c', `${hide} && exec "$@"`, 'sh']
  return aptGet(['-q', ...args], {
    attempts: 2,
    within: ['unshare', '--mount', '--propagation', 'private', '--', ...shell],
  })
}
