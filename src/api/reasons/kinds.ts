import type { ReasonTexts } from './reason.ts'

/** About the kinds in a cluster. */
export const kindsReasons = {
  ClusterUnreachable: {
    meaning: 'The API server of the cluster does not answer.',
    remedy: 'Check the address in the kubeconfig and the way to it; kubectl version fails in the same way.',
    blame: 'runtime',
  },
  ClusterForbidden: {
    meaning: 'The API server does not let this user do what the command needs.',
    remedy: 'Use a kubeconfig or context whose user may do it; the kinds are installed by a cluster administrator.',
    blame: 'host',
  },
  KindsRefused: {
    meaning: 'The API server refused the definition of a kind.',
    remedy: 'The message has its words. Kubernetes before 1.31 does not know the rules in the definitions.',
    blame: 'host',
  },
  KindsNotServed: {
    meaning: 'A kind was installed, but the API server does not serve it.',
    remedy: 'The message has its words; another definition may have taken one of the names.',
    blame: 'runtime',
  },
} as const satisfies ReasonTexts
