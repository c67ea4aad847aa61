{{- define "virtual-ingress.image" -}}
{{- $tag := .Values.image.tag | default .Chart.AppVersion -}}
{{- printf "%s%s%s" .Values.image.repository (ternary "@" ":" (hasPrefix "sha256:" $tag)) $tag -}}
{{- end -}}

{{- define "virtual-ingress.selector" -}}
app.kubernetes.io/name: virtual-ingress
app.kubernetes.io/component: manager
{{- end -}}

{{- define "virtual-ingress.labels" -}}
app.kubernetes.io/name: virtual-ingress
app.kubernetes.io/part-of: oooi
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- /* What the values cannot mean together, said before anything is installed. */ -}}
{{- define "virtual-ingress.check" -}}
{{- $kyverno := eq .Values.engine "kyverno" -}}
{{- $hasKyverno := .Capabilities.APIVersions.Has "policies.kyverno.io/v1/GeneratingPolicy" -}}
{{- if and $kyverno .Values.kyverno.checkInstalled (not $hasKyverno) -}}
{{- fail "engine kyverno needs Kyverno 1.19.1 or later, and this cluster has no GeneratingPolicy of policies.kyverno.io/v1. Install Kyverno first, or take engine=native, which needs nothing. (Rendering without a cluster: --api-versions policies.kyverno.io/v1/GeneratingPolicy, or kyverno.checkInstalled=false.)" -}}
{{- end -}}
{{- if and $kyverno .Values.kyverno.checkInstalled -}}
{{- include "virtual-ingress.checkKyvernoVersion" . -}}
{{- end -}}
{{- if and $kyverno (or (ne .Values.discovery.scope "Namespace") .Values.annotationMode.enabled) -}}
{{- fail "discovery.scope=Granted and annotationMode: engine kyverno looks for Services in the namespace of a VirtualIngress only; take engine=native" -}}
{{- end -}}
{{- if and $kyverno .Values.gatewayApi.enabled -}}
{{- fail "gatewayApi.enabled: engine kyverno makes Ingresses only; take engine=native" -}}
{{- end -}}
{{- if and $kyverno (or (ne .Values.errors.noMatch "Hold") .Values.errors.requireReadyEndpoints) -}}
{{- fail "errors: engine kyverno can only hold what was there (noMatch=Hold, requireReadyEndpoints=false); take engine=native" -}}
{{- end -}}
{{- if and (not $kyverno) .Values.watch.namespaceSelector -}}
{{- fail "watch.namespaceSelector is for engine=kyverno; list the namespaces in watch.namespaces: the native engine gets no rights in others" -}}
{{- end -}}
{{- if and .Values.watch.namespaces .Values.watch.namespaceSelector -}}
{{- fail "watch.namespaces and watch.namespaceSelector: give one of them" -}}
{{- end -}}
{{- end -}}

{{- /* By the image of its background controller. An image without a version, and rendering without a cluster, tell nothing. */ -}}
{{- define "virtual-ingress.checkKyvernoVersion" -}}
{{- range (lookup "apps/v1" "Deployment" "" "").items -}}
{{- if eq (dig "metadata" "labels" "app.kubernetes.io/component" "" .) "background-controller" -}}
{{- $where := printf "%s/%s" .metadata.namespace .metadata.name -}}
{{- range .spec.template.spec.containers -}}
{{- $version := regexFind ":v?[0-9]+[.][0-9]+[.][0-9]+" .image | trimPrefix ":" -}}
{{- if and (contains "kyverno" .image) $version (semverCompare "<1.19.1" $version) -}}
{{- fail (printf "engine kyverno needs Kyverno 1.19.1 or later, and Deployment %s runs %s: older ones delete and recreate every Ingress hourly. Upgrade Kyverno, or take engine=native. (kyverno.checkInstalled=false installs all the same.)" $where .image) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Namespaces of a policy; none given: all. */ -}}
{{- define "virtual-ingress.namespaces" -}}
{{- if .Values.watch.namespaces -}}
namespaceSelector:
  matchExpressions:
    - key: kubernetes.io/metadata.name
      operator: In
      values: {{ toJson .Values.watch.namespaces }}
{{- else if .Values.watch.namespaceSelector -}}
namespaceSelector:
  {{- toYaml .Values.watch.namespaceSelector | nindent 2 }}
{{- end -}}
{{- end -}}

{{- /* CEL: the backend `b` of a VirtualIngress as the Ingress has it. The argument says where it is, for messages. */ -}}
{{- define "virtual-ingress.backend" -}}
has(b.resource) ? dyn({"resource": b.resource}) :
has(b.service.name) ? dyn({"service": {"name": b.service.name, "port": b.service.port}}) :
has(b.service.namespace) ? dyn(variables.fail[variables.what + "a Service of another namespace needs engine native"]) :
cel.bind(asked, b.service.?matchLabels.orValue({}).map(k, k + "=" + b.service.matchLabels[k]).sort().join(",")
  + b.service.?matchExpressions.orValue([]).map(e, " " + e.key + " " + e.operator + " " + e.?values.orValue([]).join("|")).join(","),
cel.bind(found, variables.services.filter(s,
  b.service.?matchLabels.orValue({}).all(k, k in s.labels && s.labels[k] == b.service.matchLabels[k])
  && b.service.?matchExpressions.orValue([]).all(e,
    e.operator == "Exists" ? e.key in s.labels :
    e.operator == "DoesNotExist" ? !(e.key in s.labels) :
    e.operator == "In" ? e.key in s.labels && s.labels[e.key] in e.values :
    !(e.key in s.labels) || !(s.labels[e.key] in e.values))),
cel.bind(how, b.service.?multipleMatches.orValue(variables.multipleMatches),
cel.bind(chosen,
  found.size() == 0 ? dyn(variables.fail[variables.what + "no Service matches " + asked + " (" + {{ . }} + ")"]) :
  found.size() == 1 ? dyn(found[0]) :
  how == "FirstByName" ? dyn(found.sortBy(s, s.name)[0]) :
  how == "Oldest" ? dyn(found.sortBy(s, s.created + " " + s.name)[0]) :
  how == "Newest" ? dyn(cel.bind(last, found.sortBy(s, s.created)[found.size() - 1].created, found.filter(s, s.created == last).sortBy(s, s.name)[0])) :
  dyn(variables.fail[variables.what + string(found.size()) + " Services match " + asked + ": " + found.map(s, s.name).sort().join(", ") + " (" + {{ . }} + ")"]),
chosen.ports.exists(port, has(b.service.port.number) ? port.port == b.service.port.number : port.?name.orValue("") == b.service.port.name)
  ? dyn({"service": {"name": chosen.name, "port": b.service.port}})
  : dyn(variables.fail[variables.what + "Service " + chosen.name + " has no port " + (has(b.service.port.number) ? string(b.service.port.number) : b.service.port.name) + " (" + {{ . }} + ")"])
))))
{{- end -}}

{{- /* All that the manager may do in a namespace, and why. */ -}}
{{- define "virtual-ingress.rules" -}}
# The users' objects; the manager keeps its finalizer on them and says in their status what it saw.
- apiGroups: [hostedcluster.densityops.com]
  resources: [virtualingresses]
  verbs: [list, watch, patch]
- apiGroups: [hostedcluster.densityops.com]
  resources: [virtualingresses/status]
  verbs: [patch]
# Where the API server wants it before it lets an Ingress be owned so that its owner waits for it.
- apiGroups: [hostedcluster.densityops.com]
  resources: [virtualingresses/finalizers]
  verbs: [update]
# What comes out.
- apiGroups: [networking.k8s.io]
  resources: [ingresses]
  verbs: [get, list, watch, create, patch, delete]
{{- if .Values.gatewayApi.enabled }}
- apiGroups: [gateway.networking.k8s.io]
  resources: [httproutes]
  verbs: [get, list, watch, create, patch, delete]
{{- end }}
# Where backends are looked for; written is the one without endpoints that answers 503 (noMatch Unavailable).
- apiGroups: [""]
  resources: [services]
  verbs: [get, list, watch, create, patch, delete]
{{- $copies := or (eq .Values.discovery.scope "Granted") .Values.annotationMode.enabled }}
- apiGroups: [discovery.k8s.io]
  resources: [endpointslices]
  verbs: {{ ternary "[get, list, watch, create, patch, delete]" "[list, watch]" $copies }}
{{- if $copies }}
# Where aliases belong to a plain Ingress and its owner is to wait for them.
- apiGroups: [networking.k8s.io]
  resources: [ingresses/finalizers]
  verbs: [update]
{{- end }}
{{- if eq .Values.discovery.scope "Granted" }}
# Consent of other namespaces, where the Gateway API is installed.
- apiGroups: [gateway.networking.k8s.io]
  resources: [referencegrants]
  verbs: [list, watch]
{{- end }}
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, patch]
{{- end -}}
