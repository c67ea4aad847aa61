import { defineConfig } from 'vitest/config'

/** Polled for until it is so; a busy machine takes its time, and vitest itself would give up after a second. */
const patient = { poll: { timeout: 20_000 } }

/** `unit` needs nothing but the sources; `system` makes network namespaces and starts real peers. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'tools/**/*.test.ts', 'test/bench/**/*.test.ts'],
          exclude: ['**/*.system.test.ts'],
          setupFiles: ['test/generated-values.ts'],
          // Of two cores vitest would leave one idle.
          maxWorkers: '100%',
          // Far beyond what any of them takes: a test says what is wrong, not how busy the machine is.
          testTimeout: 120_000,
          expect: patient,
        },
      },
      {
        test: {
          name: 'system',
          include: ['src/**/*.system.test.ts', 'test/**/*.system.test.ts'],
          globalSetup: ['test/envtest/globalsetup.ts'],
          setupFiles: ['test/generated-values.ts'],
          // Each file has names, ports and processes of its own and waits half of its time; more at once would wait for cores.
          maxWorkers: 2,
          // Real peers on a shared machine: one more try in CI, which the reporter shows; at a desk a flaky test is seen.
          retry: process.env.CI ? 1 : 0,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: patient,
        },
      },
    ],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/**/*.test.ts'],
      reporter: ['text-summary', 'lcov'],
    },
  },
})
