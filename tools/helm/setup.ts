import { bring } from '../kube/bring.ts'
import { provideHelm } from './helm.ts'

/** The Helm that the tests of the chart run. */
await bring('helm', () => provideHelm(process.env), 'THE TESTS OF THE CHART WILL BE SKIPPED.')
