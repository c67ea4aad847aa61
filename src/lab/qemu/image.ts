import { accessSync, constants } from 'node:fs'
import { arch } from 'node:os'
import { join } from 'node:path'
import { findTool } from '../host/tools.ts'
import { cachedInitramfs } from './initramfs.ts'
import { cachedKernel } from './kernel.ts'
import type { QemuImage } from './qemuvm.ts'

/** Why there can be no QEMU machine on this host; undefined if there can. */
export function whyNoQemu(): string | undefined {
  if (arch() !== 'x64') return `the QEMU VM is built for x86-64, and this is ${arch()}`
  if (!findTool('qemu-system-x86_64')) return 'qemu-system-x86_64 is not installed (Debian: qemu-system-x86)'
  if (!findTool('apt-get')) return 'its kernel comes from a Debian package, and there is no apt-get'
  try {
    accessSync('/dev/net/tun', constants.R_OK | constants.W_OK)
  } catch {
    return '/dev/net/tun cannot be opened: root can, or everybody after `sudo chmod 666 /dev/net/tun`'
  }
  return undefined
}

/** Kernel and initramfs, out of the cache or made now. */
export async function qemuImage(onFetch: (what: string) => void, signal: AbortSignal): Promise<QemuImage> {
  const directory = await cachedKernel(onFetch, signal)
  return { kernel: join(directory, 'vmlinuz'), initramfs: await cachedInitramfs(directory) }
}
