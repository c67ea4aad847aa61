import { mayNotSkip } from '../kube/locate.ts'
import { provideHelm } from './helm.ts'

/** Brings the Helm that the tests of the chart run, and prints its path. Outside CI it is fine if that cannot be done. */
try {
  process.stdout.write(`${await provideHelm(process.env)}\n`)
} catch (error) {
  process.stderr.write(`helm: ${error instanceof Error ? error.message : String(error)}\n`)
  process.stderr.write('THE TESTS OF THE CHART WILL BE SKIPPED.\n')
  if (mayNotSkip(process.env)) process.exitCode = 1
}
