import { locateAssets } from '../../../tools/kube/locate.ts'
import { failed, ok, type Result } from '../../core/result.ts'
import { checkHost, checkRoot } from '../host/requirements.ts'
import { clusterTools, missingPackages } from '../host/tools.ts'

/** Folders of binaries, as tools/kube provides them. */
export interface Assets {
  readonly controlPlane: string
  readonly node: string
}

/** The binaries, or what the machine lacks for a Kubernetes of the lab, each as one sentence that says what to do. */
export async function findAssets(userId: number, env: NodeJS.ProcessEnv): Promise<Result<Assets>> {
  const root = checkRoot(userId)
  if (!root.ok) return root
  const host = checkHost()
  if (!host.ok) return host
  const packages = missingPackages(clusterTools)
  if (packages.length > 0) {
    return failed({
      reason: 'LabNotPossible',
      message: `programs the lab's Kubernetes runs are not installed: run \`make setup\`, or \`apt-get install ${packages.join(' ')}\``,
    })
  }
  const [controlPlane, node] = await Promise.all([locateAssets('control-plane', env), locateAssets('node', env)])
  if (!controlPlane || !node) {
    return failed({
      reason: 'LabNotPossible',
      message: 'there is no Kubernetes on this machine: `node tools/kube/setup.ts control-plane node` brings it',
    })
  }
  return ok({ controlPlane, node })
}
