import { readFileSync } from 'node:fs'
import { failed, ok, type Result } from '../../core/result.ts'
import { run } from './command.ts'

/** Stands in the command line of an ordinary user's lab, by which other commands of that user find it. */
export const ownLabMark = 'oooi-lab-of-a-user'

const fresh = ['--user', '--map-root-user', '--net', '--mount', '--pid', '--fork', '--kill-child=KILL', '--mount-proc']

/**
 * The command that runs the program as root of namespaces of its own: what it makes there nobody else sees, and the
 * kernel takes it away when the program ends. It dies with whoever started it.
 */
export function asOwnRoot(program: readonly string[]): string[] {
  // The lab and `ip netns` keep their things in /run; the host's belongs to the host's root.
  const script = 'mount -t tmpfs -o mode=755 tmpfs /run && exec "$@"'
  const shell = ['/bin/sh', '-c', script, ownLabMark, ...program]
  return ['setpriv', '--pdeathsig=KILL', '--', 'unshare', ...fresh, '--', ...shell]
}

/** Whether the kernel lets an ordinary user have that; if not, what to do. */
export async function checkUserNamespaces(): Promise<Result<void>> {
  try {
    await run('unshare', [...fresh, '--', '/bin/true'])
    return ok()
  } catch (error) {
    const said = (error instanceof Error ? error.message : String(error)).replace(/^.*: unshare: /s, '')
    const message = `this machine does not let an ordinary user make namespaces (${said}): ${remedy(readSetting)}`
    return failed({ reason: 'LabNotPossible', message })
  }
}

const switches = [
  { setting: 'user.max_user_namespaces', forbids: '0', allows: '10000' },
  { setting: 'kernel.unprivileged_userns_clone', forbids: '0', allows: '1' },
  { setting: 'kernel.apparmor_restrict_unprivileged_userns', forbids: '1', allows: '0' },
]

/** Which of the settings that are known to forbid it does. */
export function remedy(read: (setting: string) => string | undefined): string {
  const found = switches.filter(({ setting, forbids }) => read(setting) === forbids)
  if (found.length === 0) return 'a container or a security module forbids it; run `sudo bin/oooi lab`'
  const settings = found.map(({ setting, allows }) => `${setting}=${allows}`).join(' ')
  return `run \`sudo bin/oooi lab\`, or allow it with \`sudo sysctl -w ${settings}\``
}

function readSetting(setting: string): string | undefined {
  try {
    return readFileSync(`/proc/sys/${setting.replaceAll('.', '/')}`, 'utf8').trim()
  } catch {
    return undefined
  }
}

/** `nobody`: what oooi needs is given to it by the lab, not by who it is. */
export const ordinaryUser = 65534

/** Whether this process is root of an ordinary user's lab: in that user namespace there is no user but its root. */
export function isOwnRoot(map: string = readFileSync('/proc/self/uid_map', 'utf8')): boolean {
  const ranges = map.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  return !ranges.some(([first = Number.NaN, , count = 0]) => ordinaryUser >= first && ordinaryUser < first + count)
}
