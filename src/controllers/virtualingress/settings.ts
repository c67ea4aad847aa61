import { type GeneratedDefaults, generatedDefaults } from '../../core/virtualingress/metadata.ts'
import { type SelectionDefaults, selectionDefaults } from '../../core/virtualingress/resolve.ts'

/** What the operator was told about VirtualIngresses. */
export interface VirtualIngressSettings {
  /** What holds where a VirtualIngress says nothing. */
  readonly selection: SelectionDefaults
  readonly generated: GeneratedDefaults
  /** The only namespaces that are looked at; none: all. */
  readonly namespaces: readonly string[]
  /** Without, HTTPRoutes are neither looked at nor made. */
  readonly gatewayApi: boolean
}

export const virtualIngressDefaults: VirtualIngressSettings = {
  selection: selectionDefaults,
  generated: generatedDefaults,
  namespaces: [],
  gatewayApi: true,
}
