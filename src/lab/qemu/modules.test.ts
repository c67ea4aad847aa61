import { describe, expect, it } from 'vitest'
import { loadOrder, moduleDependencies } from './modules.ts'

const module = (...needed: string[]): Buffer =>
  Buffer.from(`\x7fELF xdepends=chance\0license=GPL\0depends=${needed.join(',')}\0retpoline=Y\0`)

describe('a kernel module', () => {
  it('says what it needs', () => {
    expect(moduleDependencies(module('virtio', 'failover'))).toEqual(['virtio', 'failover'])
    expect(moduleDependencies(module())).toEqual([])
    expect(moduleDependencies(Buffer.from('not a module'))).toEqual([])
  })

  it('is loaded after what it needs, each once; what is built in is left out', () => {
    const modules: Record<string, Buffer> = {
      net: module('ring', 'failover', 'builtin'),
      pci: module('ring'),
      ring: module('core'),
      core: module(),
      failover: module(),
    }
    expect(loadOrder(['pci', 'net'], (name) => modules[name])).toEqual(['core', 'ring', 'pci', 'failover', 'net'])
  })
})
