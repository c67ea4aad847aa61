import type { DHCPServer } from '../../api/dhcpserver.ts'
import type { DNSServer } from '../../api/dnsserver.ts'
import type { Infra } from '../../api/infra.ts'
import type { KindDefinition, KindName } from '../../api/kinds.ts'
import type { ProxyServer } from '../../api/proxyserver.ts'
import type { ComponentRole, RenderedObject } from '../../core/render/object.ts'
import type { RenderSettings } from '../../core/render/render.ts'
import type { Problem } from '../../core/result.ts'
import type { Statement } from '../../core/status/statement.ts'
import type { Binding } from '../../core/translate/binding.ts'
import type { Informer } from '../../runtime/cache/informer.ts'
import type { Condition } from '../../runtime/conditions/conditions.ts'
import type { Kind } from '../../runtime/kube/kind.ts'
import type { KubeObject } from '../../runtime/kube/object.ts'
import type { OwnObject } from './kinds.ts'

export type Component = DHCPServer | DNSServer | ProxyServer

/** The Infra that a component belongs to, if it was not made by hand. */
export interface Belonging {
  readonly infra: Infra | undefined
  readonly bindings: readonly Binding[]
  /** Namespaces whose control plane HyperShift has yet to make. */
  readonly awaited: readonly string[]
}

/** What was found out elsewhere for a component. */
export interface Findings {
  /** Fields of the status that only this kind has. */
  readonly fields: object
  readonly statements: readonly Statement[]
  /** Of these, the one that keeps the component from being Ready. */
  readonly needed?: Statement | undefined
  /** Said beside Ready. */
  readonly remark?: string | undefined
}

/** What the three component kinds differ in. */
export interface ComponentKind<Resource extends Component> {
  readonly name: KindName
  readonly definition: KindDefinition<Resource>
  readonly kind: Kind<OwnObject>
  readonly role: ComponentRole
  readonly informer: Informer<OwnObject>
  readonly render: (resource: Resource, settings: RenderSettings) => RenderedObject[]
  /** What must not be, although each field is as it should be. */
  readonly judge?: (resource: Resource, belonging: Belonging) => readonly Problem[]
  readonly isKept?: (resource: Resource, object: RenderedObject) => boolean
  readonly find: (
    resource: Resource,
    belonging: Belonging,
    objects: readonly KubeObject[],
    conditions: readonly Condition[],
  ) => Findings
  /** Tells as events what the engine reports. */
  readonly tell?: (live: OwnObject) => void
}
