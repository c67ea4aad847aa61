import { removeRemains } from '../src/lab/ledger/remains.ts'

/** Takes away what labs and clusters left whose owner was killed; running ones are not touched. */
for (const id of await removeRemains(Date.now())) process.stdout.write(`cleaned up after ${id}\n`)
