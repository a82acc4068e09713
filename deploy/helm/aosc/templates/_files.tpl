{{/* Sources of the projected volumes below /etc/aosc: empty text where nothing is to be mounted. */}}
{{- define "aosc.secretFiles" -}}
- secret:
    name: {{ .secret | quote }}
    items:
    {{- range .items }}
      - { key: {{ .key | quote }}, path: {{ .path }} }
    {{- end }}
{{- end -}}

{{/* One file: (list $ <value with secret, key> <key in the chart's own Secret> <path>). */}}
{{- define "aosc.secretFile" -}}
{{- $ref := include "aosc.secretRef" . | fromYaml -}}
{{ include "aosc.secretFiles" (dict "secret" $ref.name "items" (list (dict "key" $ref.key "path" (index . 3)))) }}
{{- end -}}

{{- define "aosc.serverFiles" -}}
{{- with .ca }}{{ if .secret }}
{{ include "aosc.secretFiles" (dict "secret" .secret "items" (list (dict "key" .key "path" "ca.crt"))) }}
{{- end }}{{ end }}
{{- with .clientCertificate }}{{ if .secret }}
{{ include "aosc.secretFiles" (dict "secret" .secret "items" (list (dict "key" .certKey "path" "client.crt") (dict "key" .keyKey "path" "client.key"))) }}
{{- end }}{{ end }}
{{- end -}}

{{- define "aosc.openSearchFiles" -}}
{{ include "aosc.serverFiles" .Values.openSearch }}
{{- with .Values.openSearch.login }}{{ if include "aosc.hasLogin" $ }}
{{ include "aosc.secretFile" (list $ (dict "secret" .secret "key" .passwordKey) "opensearch-password" "password") }}
{{- end }}{{ end }}
{{- end -}}

{{- define "aosc.apiFiles" -}}
{{- if include "aosc.hasAuth" . }}
{{ include "aosc.secretFile" (list $ .Values.api.auth "auth.json" "auth.json") }}
{{- end }}
{{- if include "aosc.hasSessionKey" . }}
{{ include "aosc.secretFile" (list $ .Values.api.sessionKey "session.key" "session.key") }}
{{- end }}
{{- with .Values.api.tls }}{{ if .secret }}
{{ include "aosc.secretFiles" (dict "secret" .secret "items" (list (dict "key" "tls.crt" "path" "tls.crt") (dict "key" "tls.key" "path" "tls.key"))) }}
{{- end }}{{ end }}
{{- end -}}

{{/* Folders and the sources of what lies in them, as YAML: opensearch, redis and, only for the API, api. */}}
{{- define "aosc.fileFolders" -}}
{{- with include "aosc.openSearchFiles" .root | trim }}
opensearch:
{{ . }}
{{- end }}
{{- with include "aosc.serverFiles" .root.Values.redis | trim }}
redis:
{{ . }}
{{- end }}
{{- if eq .component "api" }}
{{- with include "aosc.apiFiles" .root | trim }}
api:
{{ . }}
{{- end }}
{{- end }}
{{- end -}}
