import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cached } from '../../src/lab/cache.ts'
import { run } from '../../src/lab/host/command.ts'
import { unpackArchives } from '../../src/lab/host/debian-package.ts'
import { withProgress } from '../kube/progress.ts'

/** Has a systemd that opens files for its services (OpenFile=, since 253), whatever the machine itself runs. */
const release = 'trixie'

/** systemd as the first process, and what a program such as Node needs beside it. */
const packages = ['systemd', 'base-files', 'base-passwd', 'coreutils', 'dash', 'mount', 'libstdc++6']

/** To be raised when the recipe below changes. */
const recipe = 1

/**
 * A directory with the files of a small Debian, unpacked but not configured, with the systemd of the day on which it was made;
 * nothing in it was ever run. Throws, with the reason, where it cannot be had.
 */
export function findSystemdRoot(): Promise<string> {
  return cached({ name: 'systemd-root', version: `${release}-${recipe}-${process.arch}` }, (directory) =>
    withProgress(process.stderr, `fetching the systemd of Debian ${release}`, () => unpack(directory)),
  )
}

async function unpack(directory: string): Promise<void> {
  const apt = join(directory, 'apt')
  const archives = join(apt, 'archives')
  await mkdir(join(apt, 'lists', 'partial'), { recursive: true })
  await mkdir(join(archives, 'partial'), { recursive: true })
  const config = await writeAptConfig(apt)
  const env = { APT_CONFIG: config, DEBIAN_FRONTEND: 'noninteractive' }
  await run('apt-get', ['-q', 'update'], { env })
  await run('apt-get', ['-q', '-y', 'install', '--no-install-recommends', '--download-only', ...packages], { env })
  await unpackArchives(archives, directory)
  await rm(apt, { recursive: true })
}

/** An apt of its own: other sources, its own lists, and nothing installed yet. */
async function writeAptConfig(apt: string): Promise<string> {
  const keys = '/usr/share/keyrings/debian-archive-keyring.gpg'
  await writeFile(join(apt, 'sources.list'), `deb [signed-by=${keys}] ${await debianMirror()} ${release} main\n`)
  await writeFile(join(apt, 'status'), '')
  const path = join(apt, 'apt.conf')
  const settings = {
    'Dir::Etc::sourcelist': join(apt, 'sources.list'),
    'Dir::Etc::sourceparts': '-',
    'Dir::State': apt,
    'Dir::State::lists': join(apt, 'lists'),
    'Dir::State::status': join(apt, 'status'),
    'Dir::Cache': apt,
    // Its user may not look into our home.
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
    'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled': 'false',
  }
  await writeFile(
    path,
    Object.entries(settings)
      .map(([name, value]) => `${name} "${value}";\n`)
      .join(''),
  )
  return path
}

/** Where this machine has its own packages from. */
async function debianMirror(): Promise<string> {
  const format = ['--format', '$(ORIGIN) $(REPO_URI)']
  const sources = await run('apt-get', ['indextargets', ...format, 'Created-By: Packages'])
  const mirror = /^Debian (\S+?)\/?$/m.exec(sources)?.[1]
  if (mirror === undefined) throw new Error('this machine has no package lists of Debian; "apt-get update" brings them')
  return mirror
}
