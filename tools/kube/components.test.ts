import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { components, moduleDirectory, versions, versionsIn } from './components.ts'

const goMod = readFileSync(`${moduleDirectory}/go.mod`, 'utf8')
const toolsGo = readFileSync(`${moduleDirectory}/tools.go`, 'utf8')

describe('the pinned versions', () => {
  it('come from go.mod', () => {
    expect(versionsIn('require (\n\tgo.etcd.io/etcd/server/v3 v3.1.2\n\tk8s.io/kubernetes v1.2.3\n)')).toEqual({
      kubernetes: '1.2.3',
      etcd: '3.1.2',
    })
  })

  it('must be there', () => {
    expect(() => versionsIn('module x')).toThrow('go.mod requires no version of k8s.io/kubernetes')
  })

  it('of the staging modules are those of Kubernetes', () => {
    const staging = [...goMod.matchAll(/^\t(k8s\.io\/\S+) => (\S+) v(\S+)$/gm)]
    expect(staging.length).toBeGreaterThan(30)
    for (const [, from, to, version] of staging) {
      expect({ to, version }).toEqual({ to: from, version: versions.kubernetes.replace(/^1\./, '0.') })
    }
  })
})

it('keeps every command of the wrapper module in tools.go', () => {
  for (const { project, goPackage } of Object.values(components).flat()) {
    if (project !== 'containerd') expect(toolsGo).toContain(`_ "${goPackage}"`)
  }
})
