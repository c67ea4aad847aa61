import { type GeneratedDefaults, generatedDefaults } from '../../core/virtualingress/metadata.ts'
import { type SelectionDefaults, selectionDefaults } from '../../core/virtualingress/resolve.ts'

/** What the operator was told about VirtualIngresses. */
export interface VirtualIngressSettings {
  /** What holds where a VirtualIngress says nothing. */
  readonly selection: SelectionDefaults
  readonly generated: GeneratedDefaults
  /** Backends may ask for Services of other namespaces that permit it. */
  readonly crossNamespace: boolean
  /** Plain Ingresses may say in an annotation which Services their backends mean. */
  readonly annotations: boolean
  /** The only namespaces that are looked at; none: all. */
  readonly namespaces: readonly string[]
  /** Without, HTTPRoutes are neither looked at nor made. */
  readonly gatewayApi: boolean
}

export const virtualIngressDefaults: VirtualIngressSettings = {
  selection: selectionDefaults,
  generated: generatedDefaults,
  crossNamespace: false,
  annotations: false,
  namespaces: [],
  gatewayApi: true,
}
