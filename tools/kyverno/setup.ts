import { bring } from '../kube/bring.ts'
import { provideKyverno } from './kyverno.ts'

/** The Kyverno that the tests of the policies run. */
const provide = async () => JSON.stringify(await provideKyverno(process.env))
await bring('kyverno', provide, 'THE TESTS OF THE KYVERNO ENGINE WILL BE SKIPPED.')
