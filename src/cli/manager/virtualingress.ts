import { type Command, InvalidArgumentError, Option } from 'commander'
import type { VirtualIngressSettings } from '../../controllers/virtualingress/settings.ts'
import type { MultipleMatches } from '../../core/virtualingress/choose.ts'
import { generatedDefaults } from '../../core/virtualingress/metadata.ts'
import { type NoMatch, selectionDefaults } from '../../core/virtualingress/resolve.ts'
import { switchOption } from './options.ts'

/** What `oooi manager` is told about VirtualIngresses. */
export interface VirtualIngressOptions {
  readonly watchNamespaces: readonly string[]
  readonly gatewayApi: boolean
  readonly virtualIngressCrossNamespace: boolean
  readonly virtualIngressAnnotations: boolean
  readonly virtualIngressNoMatch: NoMatch
  readonly virtualIngressMultipleMatches: MultipleMatches
  readonly virtualIngressRequireReadyEndpoints: boolean
  readonly virtualIngressNameSuffix: string
  readonly virtualIngressExcludeLabels: readonly string[]
  readonly virtualIngressExcludeAnnotations: readonly string[]
}

export function addVirtualIngressOptions(command: Command): Command {
  const { noMatch, multipleMatches, requireReadyEndpoints } = selectionDefaults
  return command
    .addOption(listOption('--watch-namespaces', 'the only namespaces looked at; needs --controllers virtualingress'))
    .addOption(switchOption('--gateway-api', 'VirtualIngresses may become HTTPRoutes; false: no rights needed', true))
    .addOption(
      switchOption('--virtual-ingress-cross-namespace', 'backends may ask for Services elsewhere, with consent', false),
    )
    .addOption(
      switchOption('--virtual-ingress-annotations', 'plain Ingresses may ask for labels in an annotation', false),
    )
    .addOption(
      new Option('--virtual-ingress-no-match <what>', 'selection.noMatch where a VirtualIngress has none')
        .choices(['Hold', 'Unavailable', 'Withdraw'])
        .default(noMatch),
    )
    .addOption(
      new Option('--virtual-ingress-multiple-matches <what>', 'selection.multipleMatches, likewise')
        .choices(['Error', 'Newest', 'Oldest', 'FirstByName'])
        .default(multipleMatches),
    )
    .addOption(
      switchOption(
        '--virtual-ingress-require-ready-endpoints',
        'selection.requireReadyEndpoints, likewise',
        requireReadyEndpoints,
      ),
    )
    .addOption(
      new Option(
        '--virtual-ingress-name-suffix <text>',
        'the name of an Ingress is that of its VirtualIngress and this',
      )
        .argParser(parseSuffix)
        .default(generatedDefaults.nameSuffix),
    )
    .addOption(
      listOption('--virtual-ingress-exclude-labels', 'further labels that are not copied; * for any characters'),
    )
    .addOption(listOption('--virtual-ingress-exclude-annotations', 'further annotations that are not copied'))
}

export function virtualIngressSettings(options: VirtualIngressOptions): VirtualIngressSettings {
  return {
    selection: {
      noMatch: options.virtualIngressNoMatch,
      multipleMatches: options.virtualIngressMultipleMatches,
      requireReadyEndpoints: options.virtualIngressRequireReadyEndpoints,
    },
    generated: {
      nameSuffix: options.virtualIngressNameSuffix,
      excludedLabels: options.virtualIngressExcludeLabels,
      excludedAnnotations: options.virtualIngressExcludeAnnotations,
    },
    crossNamespace: options.virtualIngressCrossNamespace,
    annotations: options.virtualIngressAnnotations,
    namespaces: options.watchNamespaces,
    gatewayApi: options.gatewayApi,
  }
}

function listOption(flag: string, description: string): Option {
  return new Option(`${flag} <list>`, description)
    .argParser((text: string, earlier: readonly string[]) => {
      const entries = text.split(',').map((entry) => entry.trim())
      return [...earlier, ...entries.filter((entry) => entry !== '')]
    })
    .default([] as string[], 'none')
}

function parseSuffix(text: string): string {
  if (/^-[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/.test(text)) return text
  throw new InvalidArgumentError('It must be a hyphen and at most ten lower-case letters, digits and hyphens.')
}
