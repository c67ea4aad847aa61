import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import packageJson from '../../package.json' with { type: 'json' }
import { oooiImage } from './images.ts'

const { values } = parseArgs({
  options: {
    image: { type: 'string', default: 'oooi.test/oooi:dev' },
    output: { type: 'string', default: 'dist/oooi.oci.tar' },
  },
})
const archive = await oooiImage(values.image, packageJson.version)
await mkdir(dirname(values.output), { recursive: true })
await writeFile(values.output, archive)
process.stdout.write(`${values.output}: ${values.image}, ${Math.round(archive.length / 1024 / 1024)} MiB\n`)
