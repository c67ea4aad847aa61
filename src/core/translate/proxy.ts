import { parsePath, valueAt } from '../../api/fieldpath.ts'
import { kinds } from '../../api/kinds.ts'
import { apiVersion } from '../../api/meta.ts'
import type { ProxyServer, ProxyServerInput } from '../../api/proxyserver.ts'
import { backendListRules } from '../../api/rules/backends.ts'
import { suggest } from '../../api/suggestion.ts'
import { services } from '../discover/services.ts'
import type { Problem, Result } from '../result.ts'
import { type BackendInput, backendsOf, withTarget } from './backends.ts'
import type { Binding } from './binding.ts'
import { complete } from './complete.ts'
import { attachmentOf, childMetadata, type Scene, serverFields } from './scene.ts'

const field = 'spec.infraComponents.proxy'

type Targets = Parameters<typeof backendsOf>[1]['targets']

export function translateProxy(scene: Scene, backends: readonly BackendInput[]): Result<ProxyServer> {
  const { proxy } = scene.infra.spec.infraComponents
  const input: ProxyServerInput = {
    apiVersion,
    kind: 'ProxyServer',
    metadata: childMetadata(scene.infra, 'proxy'),
    spec: {
      networkConfig: { ...serverFields(scene.proxyAddresses), ...attachmentOf(scene.infra) },
      backends: [...backends],
      engine: proxy?.engine,
      logLevel: proxy?.logLevel,
      proxyImage: proxy?.proxyImage,
      managerImage: proxy?.managerImage,
    },
  }
  return complete(kinds.ProxyServer, input)
}

/** Everything reached through the proxy: what the clusters have, then what the user added. */
export function allBackends(scene: Scene): { backends: BackendInput[]; problems: Problem[] } {
  const { infra, bindings } = scene
  const targets = infra.spec.infraComponents.proxy?.targets ?? []
  const generated = bindings.flatMap((binding) => clusterBackends(scene, binding, targets))
  const added = infra.spec.infraComponents.proxy?.backends ?? []
  const backends = [...generated, ...added.map((backend) => withTarget(backend, targets))]
  const names = backends.map(({ name }) => name)
  const problems = [
    ...clashes(backends, generated.length),
    ...takenByDns(scene),
    ...targets.flatMap(({ name }, index) => (names.includes(name) ? [] : [unknownTarget(name, index, names)])),
  ]
  return { backends, problems }
}

/** Those of one cluster; one whose place is not known at the moment stays as it was. */
function clusterBackends({ bindings, naming, served, proxyAddresses }: Scene, binding: Binding, targets: Targets) {
  const nameOf = (backend: string): string => naming(binding, backend)
  const isShared = bindings.length > 1
  const backends = backendsOf(binding, { nameOf, isShared, targets, proxyAddresses })
  const missing = binding.endpoints ? services.map(({ backend }) => nameOf(backend)) : []
  const earlier = (served?.spec.backends ?? []).filter(
    ({ name, targetNamespace }) =>
      missing.includes(name) &&
      targetNamespace === binding.controlPlaneNamespace &&
      !backends.some((backend) => backend.name === name),
  )
  return [...backends, ...earlier]
}

/** The rules that hold between backends, for what the user added against what was there before. */
function clashes(backends: readonly BackendInput[], generatedCount: number): Problem[] {
  return backendListRules.flatMap(({ message, culprits }) =>
    (culprits?.(backends) ?? []).flatMap((culprit): Problem[] => {
      const [, indexText, rest] = /^\[(\d+)\](.*)$/.exec(culprit) ?? []
      const index = Number(indexText) - generatedCount
      // Two added ones that clash with each other are told by the rules of the Infra itself.
      if (index < 0) return []
      const value = valueAt(backends, parsePath(culprit))
      return [{ reason: 'InvalidField', field: `${field}.backends[${index}]${rest}`, message: `${value} ${message}` }]
    }),
  )
}

const dnsPort = 53

/** Components may share an address as long as their ports differ. */
function takenByDns({ infra, dnsAddresses, proxyAddresses }: Scene): Problem[] {
  const shared = dnsAddresses.find((address) => proxyAddresses.includes(address))
  if (shared === undefined) return []
  return (infra.spec.infraComponents.proxy?.backends ?? []).flatMap(({ port }, index): Problem[] =>
    port === dnsPort
      ? [
          {
            reason: 'InvalidField',
            field: `${field}.backends[${index}].port`,
            message: `${port} on ${shared} belongs to the DNS server: give the proxy another address`,
          },
        ]
      : [],
  )
}

function unknownTarget(name: string, index: number, names: readonly string[]): Problem {
  const meant = suggest(name, names)
  const advice = meant === undefined ? `there are ${names.join(', ')}` : `did you mean ${meant}?`
  return {
    reason: 'InvalidField',
    field: `${field}.targets[${index}].name`,
    message: `there is no backend ${JSON.stringify(name)}: ${advice}`,
  }
}
