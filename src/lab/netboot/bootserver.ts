import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FileService, Service } from '../controlplane/service.ts'
import { startServices } from '../controlplane/start.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { LabPlan } from '../plan.ts'
import { machineArchive } from '../qemu/initramfs.ts'
import { kernelArguments, type QemuImage } from '../qemu/qemuvm.ts'
import { bootFiles, bootScript, machineFile } from './script.ts'

/** Serves what machines boot that have nothing but a network card. It is not oooi's: oooi only tells where it is. */
export interface BootServer {
  /** Puts there what this machine alone needs, out of a directory with its files. */
  offer(name: string, guestDirectory: string): void
  /** Takes away the file that DHCP names, or puts it back. */
  lose(): void
  restore(): void
}

/** On the VLAN, in a namespace of its own; returns when it listens. */
export async function startBootServer(
  ledger: Ledger,
  boot: NonNullable<LabPlan['boot']>,
  image: QemuImage,
): Promise<BootServer> {
  const directory = join(ledger.directory, 'boot')
  mkdirSync(directory)
  symlinkSync(image.kernel, join(directory, bootFiles.kernel))
  symlinkSync(image.initramfs, join(directory, bootFiles.initramfs))
  const file = join(directory, boot.file)
  const lost = join(ledger.directory, `lost-${boot.file}`)
  writeFileSync(file, bootScript(kernelArguments))
  await startServices(ledger, 'boot', bootServices(boot.server, directory))
  return {
    offer: (name, guestDirectory) => writeFileSync(join(directory, machineFile(name)), machineArchive(guestDirectory)),
    lose: () => existsSync(file) && renameSync(file, lost),
    restore: () => existsSync(lost) && renameSync(lost, file),
  }
}

/** The boot file over TFTP, which all firmware has; what it names over HTTP, which is quick. */
export function bootServices(address: string, directory: string): Service[] {
  const files = (kind: FileService['kind'], port: number): FileService => ({
    kind,
    name: kind,
    address,
    port,
    directory,
  })
  return [files('tftp', 69), files('http', 80)]
}
