import { expect, test } from 'vitest'
import { kinds } from '../../src/api/kinds.ts'
import { apiGroup } from '../../src/api/meta.ts'
import { crdsCommand } from '../../src/cli/crds/crds.ts'
import { testTerminal } from '../../src/cli/testing.ts'
import { describeWithControlPlane } from '../envtest/availability.ts'
import { useSharedControlPlane } from '../envtest/use.ts'

async function crds(kubeconfigPath: string, ...parameters: string[]) {
  const { terminal, outcome } = testTerminal({ env: { KUBECONFIG: kubeconfigPath } })
  await crdsCommand(terminal).parseAsync(parameters, { from: 'user' })
  return outcome()
}

describeWithControlPlane('oooi crds --install', () => {
  const plane = useSharedControlPlane()

  test('the kinds are served when it ends, and a second time changes nothing', async () => {
    const { kubeconfigPath } = plane().admin
    expect(await crds(kubeconfigPath, '--install')).toMatchObject({ exitCode: 0, stderr: '' })
    for (const { plural } of Object.values(kinds)) {
      expect((await plane().request(`/apis/${apiGroup}/v1alpha1/${plural}`)).status).toBe(200)
    }
    const again = await crds(kubeconfigPath, '--install', '-o', 'json')
    expect(JSON.parse(again.stdout)).toEqual(
      Object.values(kinds).map(({ plural }) => ({ name: `${plural}.${apiGroup}`, change: 'unchanged' })),
    )
  })

  test('who may not is told so, with the name of the cluster', async () => {
    const { kubeconfigPath } = await plane().addUser('nobody-in-particular')
    const { exitCode, stdout, stderr } = await crds(kubeconfigPath, '--install')
    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' })
    expect(stderr).toContain(`into ${plane().url}`)
    expect(stderr).toContain('User "nobody-in-particular" cannot get resource "customresourcedefinitions"')
    expect(stderr).toContain('[ClusterForbidden]')
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })
})
