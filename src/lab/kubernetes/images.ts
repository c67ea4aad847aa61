import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import packageJson from '../../../package.json' with { type: 'json' }
import { provideEnvoy } from '../../../tools/envoy/provide.ts'
import { busyboxImage, envoyImage, oooiImage } from '../../../tools/image/images.ts'
import { pauseImage } from './node/config.ts'

/** The images that every node has before it is Ready; nothing is pulled, for there is nowhere to pull from. */
export const images = {
  /** oooi as it is in this checkout. */
  oooi: 'oooi.test/oooi:lab',
  /** The stock image cannot be pulled: put together from the program, with the same way to start and user. */
  envoy: 'oooi.test/envoy:lab',
  /** A shell and small tools; sleeps. */
  busybox: 'oooi.test/busybox:lab',
} as const

const sleepForever = ['/bin/sleep', 'infinity']

/** The archives, as files in the directory. */
export async function makeImages(directory: string): Promise<string[]> {
  const archives = await Promise.all([
    busyboxImage(pauseImage, sleepForever),
    busyboxImage(images.busybox, sleepForever),
    oooiImage(images.oooi, packageJson.version),
    provideEnvoy(process.env).then((program) => envoyImage(images.envoy, program)),
  ])
  return archives.map((archive, index) => {
    const file = join(directory, `lab-image-${index}.tar`)
    writeFileSync(file, archive)
    return file
  })
}
