import type { ReasonTexts } from './reason.ts'

/** About an engine in its pod. */
export const podReasons = {
  ObjectMissing: {
    meaning: 'The object that an engine serves is not there, or not any more.',
    remedy: 'Create it again, or stop the engine; what was served before is served on.',
    blame: 'runtime',
  },
  ApiUnreachable: {
    meaning: 'The Kubernetes API server does not answer, or refuses to show the object to serve.',
    remedy: 'Check the API server and the Role of the pod; the last version is served, and oooi goes on trying.',
    blame: 'runtime',
  },
  NoCluster: {
    meaning: 'No way to a Kubernetes cluster is configured.',
    remedy: 'Set KUBECONFIG or give --kubeconfig; in a pod, give it a service account.',
    blame: 'host',
  },
} as const satisfies ReasonTexts
