/** What every cluster of the lab starts with. */

const group = 'k8s.cni.cncf.io'

/**
 * A stand-in for the definition that Multus brings, with the one field that matters: kind, group and names are those of
 * the multi-network specification.
 */
const networkAttachmentDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `network-attachment-definitions.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: {
      kind: 'NetworkAttachmentDefinition',
      plural: 'network-attachment-definitions',
      singular: 'network-attachment-definition',
      shortNames: ['net-attach-def'],
    },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { config: { type: 'string' } } } },
          },
        },
      },
    ],
  },
}

/** What the plugin that makes second interfaces may do, as Multus may. */
const networksRole = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'lab:networks' },
  rules: [
    { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
    { apiGroups: [''], resources: ['pods/status'], verbs: ['patch'] },
    { apiGroups: [group], resources: ['network-attachment-definitions'], verbs: ['get'] },
  ],
}

const networksBinding = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: 'lab:networks' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'lab:networks' },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'lab:networks' }],
}

export const storageClassName = 'lab-shared'
export const provisionerName = 'oooi.test/lab'

const storageClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: storageClassName, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: provisionerName,
  volumeBindingMode: 'Immediate',
  reclaimPolicy: 'Delete',
}

export const initialObjects: readonly object[] = [
  networkAttachmentDefinition,
  networksRole,
  networksBinding,
  storageClass,
]
