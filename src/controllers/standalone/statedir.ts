import { chmod, mkdir, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { failed, ok, type Result } from '../../core/result.ts'
import { whyUnusable } from '../../runtime/host/why-unusable.ts'
import { close, listen } from '../../runtime/observe/server.ts'

/** Where a running oooi answers `oooi status`. */
export function controlSocketPath(stateDir: string): string {
  return join(stateDir, 'oooi.sock')
}

/**
 * Takes the state directory for this process by serving on its control socket. A socket that answers belongs to a
 * live process; one that does not was left by a killed one and is replaced.
 */
export async function claimStateDir(stateDir: string, server: Server): Promise<Result<void>> {
  const path = controlSocketPath(stateDir)
  if (Buffer.byteLength(path) > maxSocketPathBytes) {
    return failed({
      reason: 'StateDirUnusable',
      message: `--state-dir ${stateDir} is too long: the control socket ${path} would exceed the kernel's ${maxSocketPathBytes} bytes`,
    })
  }
  try {
    await makeDirectory(stateDir)
    if (await answers(path)) {
      return failed({
        reason: 'StateDirInUse',
        message: `another oooi is running with --state-dir ${stateDir}: stop it, or give this one its own directory`,
      })
    }
    await rm(path, { force: true })
    await listen(server, { path })
    await chmod(path, 0o600)
    return ok()
  } catch (error) {
    return failed({ reason: 'StateDirUnusable', message: `cannot use --state-dir ${stateDir}: ${whyUnusable(error)}` })
  }
}

/** Closing takes the socket's name away; to remove it once more could take away that of a process that took over. */
export async function releaseStateDir(server: Server): Promise<void> {
  await close(server)
}

/** sun_path is 108 bytes with its terminating zero. */
const maxSocketPathBytes = 107

export function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/** Node's own recursive mkdir never returns where a file system refuses children with ENOENT, as /proc does. */
async function makeDirectory(path: string): Promise<void> {
  const make = (): Promise<void> => mkdir(path, { mode: 0o700 })
  try {
    await make()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EEXIST') return
    if (code !== 'ENOENT' || dirname(path) === path) throw error
    await makeDirectory(dirname(path))
    await make()
  }
}
