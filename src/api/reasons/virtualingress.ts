import type { ReasonTexts } from './reason.ts'

/** About a VirtualIngress. */
export const virtualIngressReasons = {
  NoMatchingService: {
    meaning: 'No Service has the labels that a backend asks for, or the one that is named is not there.',
    remedy: '`kubectl get services -l` with the selector in the message shows what there is; oooi goes on by itself.',
    blame: 'runtime',
  },
  MultipleMatchingServices: {
    meaning: 'Several Services have the labels that a backend asks for, so none is taken; one that is in use stays.',
    remedy: 'Ask for one more label, remove the Service that is left over, or set multipleMatches.',
    blame: 'runtime',
  },
  PortNotFound: {
    meaning: 'The Service that a backend leads to does not have the port that is asked for.',
    remedy: 'Correct the port; mirrored Services often have numbers and no names.',
    blame: 'runtime',
  },
  EndpointsNotReady: {
    meaning: 'The Service that matches has no ready endpoint, and requireReadyEndpoints is set.',
    remedy: 'Wait for its pods, or set requireReadyEndpoints to false.',
    blame: 'runtime',
  },
  ServiceTerminating: {
    meaning: 'The Service in use is being deleted, and no other matches.',
    remedy: 'Nothing, if it comes back under another name; else look what holds up its deletion.',
    blame: 'runtime',
  },
  ReferenceNotPermitted: {
    meaning: 'A backend asks for Services of another namespace, and none there permits it.',
    remedy: 'Have its owner annotate the Service or make a ReferenceGrant, and the operator run with that switched on.',
    blame: 'input',
  },
  NameConflict: {
    meaning: 'An object of the name that a VirtualIngress wants belongs to somebody else; it is left alone.',
    remedy: 'Give another name in spec.generated.name, or remove the object the message names.',
    blame: 'input',
  },
  InvalidIngress: {
    meaning: 'The API server refuses the Ingress or HTTPRoute that a VirtualIngress becomes.',
    remedy: 'The message has its words: change the field that it names.',
    blame: 'input',
  },
  TooManyMatches: {
    meaning: 'The selectors of a VirtualIngress match so many Services that looking at them would hold up all others.',
    remedy: 'Ask for rarer labels.',
    blame: 'input',
  },
  DuplicateRoute: {
    meaning: 'Two VirtualIngresses of a class want the same host and path; the ingress controller decides who has it.',
    remedy: 'Remove the path from one of them.',
    blame: 'input',
  },
  FieldIgnored: {
    meaning: 'A field or annotation has no effect on what is made of its object.',
    remedy: 'Remove it, or do what the message says.',
    blame: 'input',
  },
  NotPublished: {
    meaning: 'Nothing is made of a VirtualIngress while a backend has no Service, as selection.noMatch says.',
    remedy: 'See why in ResolvedRefs; with noMatch Unavailable the Ingress is made and answers 503.',
    blame: 'runtime',
  },
  Suspended: {
    meaning: 'The VirtualIngress is suspended: its status shows what would be done.',
    remedy: 'Set spec.suspend to false.',
    blame: 'input',
  },
  GatewayApiMissing: {
    meaning: 'The cluster does not know HTTPRoutes.',
    remedy: 'Install the Gateway API, which is noticed by itself, or set output to Ingress.',
    blame: 'host',
  },
  RouteNotAccepted: {
    meaning: 'A Gateway has not accepted the HTTPRoute, or refuses it.',
    remedy: 'The message has its words; check parentRefs and the listeners of the Gateway.',
    blame: 'runtime',
  },
} as const satisfies ReasonTexts
