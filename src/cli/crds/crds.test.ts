import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { kinds } from '../../api/kinds.ts'
import { apiGroup } from '../../api/meta.ts'
import type { Terminal } from '../terminal.ts'
import { testTerminal } from '../testing.ts'
import { crdsCommand } from './crds.ts'

async function crds(env: Terminal['env'], ...parameters: string[]) {
  const { terminal, outcome } = testTerminal({ env })
  await crdsCommand(terminal).parseAsync(parameters, { from: 'user' })
  return outcome()
}

const names = Object.values(kinds).map(({ plural }) => `${plural}.${apiGroup}`)

test('prints all definitions as YAML', async () => {
  const { exitCode, stdout } = await crds({})
  const documents = parseAllDocuments(stdout)
  expect(exitCode).toBe(0)
  expect(documents.map((document) => ('getIn' in document ? document.getIn(['metadata', 'name']) : ''))).toEqual(names)
})

test('prints them as a JSON list', async () => {
  const { stdout } = await crds({}, '-o', 'json')
  const list: { items: { metadata: { name: string } }[] } = JSON.parse(stdout)
  expect(list.items.map(({ metadata }) => metadata.name)).toEqual(names)
})

test('without a cluster it says where it looked', async () => {
  const { exitCode, stderr } = await crds({ HOME: '/nonexistent' }, '--install')
  expect(exitCode).toBe(4)
  expect(stderr).toContain('/nonexistent/.kube/config does not exist')
})

test('a kubeconfig that is not there is named', async () => {
  const { exitCode, stderr } = await crds({}, '--install', '--kubeconfig', '/nonexistent/config')
  expect(exitCode).toBe(4)
  expect(stderr).toBe('oooi: The kubeconfig /nonexistent/config cannot be read: there is no such file. [NoCluster]\n')
})
