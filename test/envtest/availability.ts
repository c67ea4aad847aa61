import { describe } from 'vitest'
import { folderVariables } from '../../tools/kube/components.ts'
import { locateAssets, mayNotSkip } from '../../tools/kube/locate.ts'

const available = (await locateAssets('control-plane', process.env)) !== undefined
const skip = !available && !mayNotSkip(process.env)

if (skip) {
  process.stderr.write(
    `SKIPPED: tests on a real Kubernetes API server. Run "make setup", or set ${folderVariables['control-plane']} to a folder with the binaries.\n`,
  )
}

/** `describe` where a control plane can be started; elsewhere it skips and says so, in CI it fails. */
export const describeWithControlPlane = describe.skipIf(skip)
