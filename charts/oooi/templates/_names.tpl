{{- define "oooi.image" -}}
{{- $tag := .Values.image.tag | default .Chart.AppVersion -}}
{{- printf "%s%s%s" .Values.image.repository (ternary "@" ":" (hasPrefix "sha256:" $tag)) $tag -}}
{{- end -}}

{{- define "oooi.selector" -}}
app.kubernetes.io/name: oooi
app.kubernetes.io/component: manager
{{- end -}}

{{- define "oooi.labels" -}}
{{ include "oooi.selector" . }}
app.kubernetes.io/part-of: oooi
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- /* The chart virtual-ingress brings the same CRD; of the two releases one may own it. */ -}}
{{- define "oooi.ownsVirtualIngress" -}}
{{- $name := "virtualingresses.hostedcluster.densityops.com" -}}
{{- $annotations := dig "metadata" "annotations" dict (lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" $name) -}}
{{- $owner := get $annotations "meta.helm.sh/release-name" -}}
{{- $namespace := get $annotations "meta.helm.sh/release-namespace" -}}
{{- if and $owner (or (ne $owner .Release.Name) (ne $namespace .Release.Namespace)) -}}
{{- fail (printf "the CRD %s belongs to the release %s in %s: install this one with --set virtualIngress.crd=false; or, if that release is gone, first: kubectl annotate crd %s --overwrite meta.helm.sh/release-name=%s meta.helm.sh/release-namespace=%s" $name $owner $namespace $name .Release.Name .Release.Namespace) -}}
{{- end -}}
{{- end -}}
