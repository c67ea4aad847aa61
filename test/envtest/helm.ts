import { execFile } from 'node:child_process'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { describe } from 'vitest'
import type { Access } from '../../src/lab/kubernetes/access/access.ts'
import { locateHelm } from '../../tools/helm/helm.ts'
import { mayNotSkip } from '../../tools/kube/locate.ts'
import { describeWithControlPlane } from './availability.ts'

const helmPath = await locateHelm()
const isSkipped = helmPath === undefined && !mayNotSkip(process.env)
if (isSkipped) process.stderr.write('SKIPPED: tests of the charts with Helm. Run "make setup".\n')

/** `describe` where a control plane and Helm are there; elsewhere it skips and says so, in CI it fails. */
export const describeWithHelm = isSkipped ? describe.skip : describeWithControlPlane

/** Runs the real Helm against a cluster and gives what it printed; what it complains of is in the error. */
export function helmFor(plane: () => Access, namespace: string): (...args: string[]) => Promise<string> {
  return async (...args) => {
    const { PATH = '' } = process.env
    const { kubeconfigPath: KUBECONFIG } = plane().admin
    // Helm keeps what it learns of a cluster at home; there it goes with the control plane.
    const env = { HOME: dirname(KUBECONFIG), PATH, KUBECONFIG, HELM_NAMESPACE: namespace }
    return (await promisify(execFile)(helmPath ?? 'helm', args, { env, maxBuffer: 64e6 })).stdout
  }
}
