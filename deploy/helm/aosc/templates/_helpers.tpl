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
