{{- define "aosc.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "aosc.fullname" -}}
{{- $name := include "aosc.name" . -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "aosc.selectorLabels" -}}
app.kubernetes.io/name: {{ include "aosc.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "aosc.labels" -}}
{{ include "aosc.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "aosc.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end -}}
{{- end -}}

{{- define "aosc.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "aosc.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* The Secret that the chart makes of values; and the key of each in it. */}}
{{- define "aosc.ownSecret" -}}
{{ include "aosc.fullname" . }}-config
{{- end -}}

{{/* A Secret's name and key: (list $ <value with secret, key> <key in the chart's own>). */}}
{{- define "aosc.secretRef" -}}
{{- $given := index . 1 -}}
{{- if $given.secret -}}
{ name: {{ $given.secret | quote }}, key: {{ $given.key | quote }} }
{{- else -}}
{ name: {{ include "aosc.ownSecret" (index . 0) | quote }}, key: {{ index . 2 }} }
{{- end -}}
{{- end -}}

{{- define "aosc.hasLogin" -}}
{{- with .Values.openSearch.login }}{{ if or .secret .username }}yes{{ end }}{{ end -}}
{{- end -}}

{{- define "aosc.hasAuth" -}}
{{- with .Values.api.auth }}{{ if or .secret .value }}yes{{ end }}{{ end -}}
{{- end -}}

{{/* The key of sessions: given, or the chart's own, which is needed as soon as the API asks for credentials. */}}
{{- define "aosc.hasSessionKey" -}}
{{- if or .Values.api.sessionKey.secret (include "aosc.hasAuth" .) }}yes{{ end -}}
{{- end -}}

{{/* Where the API answers, for links. */}}
{{- define "aosc.apiAddress" -}}
{{- with .Values.api -}}
{{- if and .ingress.enabled .ingress.host -}}
{{ ternary "https" "http" (ne .ingress.tls.secret "") }}://{{ .ingress.host }}{{ .ingress.path | trimSuffix "/" }}
{{- else -}}
{{ ternary "https" "http" (ne .tls.secret "") }}://{{ include "aosc.fullname" $ }}.{{ $.Release.Namespace }}.svc:{{ .service.port }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The names the API answers to; empty: any. $(POD_IP) is what probes and scrapers ask by. */}}
{{- define "aosc.allowedHosts" -}}
{{- if or .Values.api.allowUnauthenticated .Values.api.allowedHosts -}}
{{- $service := include "aosc.fullname" . -}}
{{- $names := list $service (printf "%s.%s" $service .Release.Namespace) (printf "%s.%s.svc" $service .Release.Namespace) (printf "%s.%s.svc.cluster.local" $service .Release.Namespace) "$(POD_IP)" -}}
{{- if and .Values.api.ingress.enabled .Values.api.ingress.host -}}
{{- $names = append $names .Values.api.ingress.host -}}
{{- end -}}
{{- concat $names .Values.api.allowedHosts | uniq | join "," -}}
{{- end -}}
{{- end -}}
