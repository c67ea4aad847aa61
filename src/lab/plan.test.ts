import { describe, expect, it } from 'vitest'
import { parseInfraFile } from '../api/manifest.ts'
import { cidrContains, parseCidr } from '../core/net/cidr.ts'
import { parseIpv4 } from '../core/net/ipv4.ts'
import { labInfraYaml } from './infra.ts'
import { maxNamespaceVms, maxPxeVms, maxQemuVms, planLab } from './plan.ts'

const most = { namespaceVms: maxNamespaceVms, qemuVms: maxQemuVms, pxeVms: maxPxeVms }

describe('the plan of a lab', () => {
  it('takes the DHCP clients in turn and adds the QEMU machines last', () => {
    const plan = planLab('oooi-1a2b', { namespaceVms: 4, qemuVms: 2, pxeVms: 2 })
    expect(plan.vms.map((vm) => `${vm.name} ${vm.client} ${vm.mac}`)).toEqual([
      'worker-1 dhclient 02:00:6f:6f:00:01',
      'worker-2 udhcpc 02:00:6f:6f:00:02',
      'worker-3 dhcpcd 02:00:6f:6f:00:03',
      'worker-4 dhclient 02:00:6f:6f:00:04',
      'worker-qemu qemu 02:00:6f:6f:ff:01',
      'worker-qemu-2 qemu 02:00:6f:6f:ff:02',
      'worker-pxe pxe 02:00:6f:6f:fd:01',
      'worker-pxe-2 pxe 02:00:6f:6f:fd:02',
    ])
  })

  it('gives every machine a hardware address of its own, the same in each run', () => {
    const macs = planLab('oooi-0001', most).vms.map((vm) => vm.mac)
    expect(new Set(macs).size).toBe(212)
    expect(planLab('oooi-0002', most).vms.map((vm) => vm.mac)).toEqual(macs)
  })

  it('tells machines their neighbours only where they are too many to learn them', () => {
    expect([3, 100, 101, 200].map((namespaceVms) => planLab('oooi-1', { namespaceVms, qemuVms: 1 }).crowded)).toEqual([
      false,
      false,
      true,
      true,
    ])
  })

  it('has its addresses inside their networks, and all different', () => {
    const plan = planLab('oooi-1a2b', { namespaceVms: 1, qemuVms: 0 })
    for (const network of [plan.vlan, plan.pods]) {
      const { cidr, prefixLength, ...addresses } = network
      const parsed = parseCidr(cidr)
      const numbers = Object.values(addresses).map((address) => parseIpv4(String(address)) ?? -1)
      expect(parsed?.prefixLength).toBe(prefixLength)
      expect(numbers.every((number) => parsed && cidrContains(parsed, number))).toBe(true)
      expect(new Set(numbers).size).toBe(numbers.length)
    }
  })

  it('is written as an Infra that oooi accepts', () => {
    const result = parseInfraFile(labInfraYaml(planLab('oooi-1a2b', most)), 'infra.yaml')
    expect(result.ok ? [] : result.problems).toEqual([])
  })
})
