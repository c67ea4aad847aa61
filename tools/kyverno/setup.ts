import { mayNotSkip } from '../kube/locate.ts'
import { provideKyverno } from './kyverno.ts'

/** Brings the Kyverno that the tests of the policies run, and prints where it is. Outside CI it is fine if that cannot be done. */
try {
  process.stdout.write(`${JSON.stringify(await provideKyverno(process.env))}\n`)
} catch (error) {
  process.stderr.write(`kyverno: ${error instanceof Error ? error.message : String(error)}\n`)
  process.stderr.write('THE TESTS OF THE KYVERNO ENGINE WILL BE SKIPPED.\n')
  if (mayNotSkip(process.env)) process.exitCode = 1
}
