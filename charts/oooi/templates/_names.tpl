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
