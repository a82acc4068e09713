{{/* Sources of the projected volumes below /etc/aosc: empty text where nothing is to be mounted. */}}
{{- define "aosc.secretFiles" -}}
- secret:
    name: {{ .secret | quote }}
    items:
    {{- range .items }}
      - { key: {{ .key | quote }}, path: {{ .path }} }
    {{- end }}
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
{{- with .Values.openSearch.login }}{{ if .secret }}
{{ include "aosc.secretFiles" (dict "secret" .secret "items" (list (dict "key" .passwordKey "path" "password"))) }}
{{- end }}{{ end }}
{{- end -}}

{{- define "aosc.apiFiles" -}}
{{- with .Values.api.auth }}{{ if .secret }}
{{ include "aosc.secretFiles" (dict "secret" .secret "items" (list (dict "key" .key "path" "auth.json"))) }}
{{- end }}{{ end }}
{{- with .Values.api.sessionKey }}{{ if .secret }}
{{ include "aosc.secretFiles" (dict "secret" .secret "items" (list (dict "key" .key "path" "session.key"))) }}
{{- end }}{{ end }}
{{- with .Values.api.tls }}{{ if .secret }}
{{ include "aosc.secretFiles" (dict "secret" .secret "items" (list (dict "key" "tls.crt" "path" "tls.crt") (dict "key" "tls.key" "path" "tls.key"))) }}
{{- end }}{{ end }}
{{- end -}}

{{/* Folders and the sources of what lies in them, as YAML: opensearch, redis and, for the API alone, api. */}}
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
