{{/* What every process reads. */}}
{{- define "aosc.commonEnvironment" -}}
{{- with .Values.openSearch -}}
- name: AOSC_OPENSEARCH_URL
  valueFrom:
    secretKeyRef: {{ include "aosc.secretRef" (list $ .url "opensearch-url") }}
{{- if include "aosc.hasLogin" $ }}
- name: AOSC_OPENSEARCH_USERNAME
  valueFrom:
    secretKeyRef: {{ include "aosc.secretRef" (list $ (dict "secret" .login.secret "key" .login.usernameKey) "opensearch-username") }}
- { name: AOSC_OPENSEARCH_PASSWORD_FILE, value: /etc/aosc/opensearch/password }
{{- end }}
{{- if .ca.secret }}
- { name: AOSC_OPENSEARCH_CA, value: /etc/aosc/opensearch/ca.crt }
{{- end }}
{{- if .clientCertificate.secret }}
- { name: AOSC_OPENSEARCH_CLIENT_CERT, value: /etc/aosc/opensearch/client.crt }
- { name: AOSC_OPENSEARCH_CLIENT_KEY, value: /etc/aosc/opensearch/client.key }
{{- end }}
{{- if .aws.region }}
- { name: AOSC_OPENSEARCH_AWS_REGION, value: {{ .aws.region | quote }} }
- { name: AOSC_OPENSEARCH_AWS_SERVICE, value: {{ .aws.service | quote }} }
{{- end }}
- { name: AOSC_OPENSEARCH_PLAIN_PASSWORD, value: {{ ternary "on-any-network" "on-loopback" .plainPassword }} }
{{- end }}
{{- with .Values.redis }}
- name: AOSC_REDIS_URL
  valueFrom:
    secretKeyRef: {{ include "aosc.secretRef" (list $ .url "redis-url") }}
{{- if .sentinels.secret }}
- name: AOSC_REDIS_SENTINELS
  valueFrom:
    secretKeyRef: { name: {{ .sentinels.secret | quote }}, key: {{ .sentinels.key | quote }} }
{{- end }}
- { name: AOSC_REDIS_CLUSTER, value: {{ ternary "yes" "no" .cluster | quote }} }
{{- if .ca.secret }}
- { name: AOSC_REDIS_CA, value: /etc/aosc/redis/ca.crt }
{{- end }}
{{- if .clientCertificate.secret }}
- { name: AOSC_REDIS_CLIENT_CERT, value: /etc/aosc/redis/client.crt }
- { name: AOSC_REDIS_CLIENT_KEY, value: /etc/aosc/redis/client.key }
{{- end }}
{{- end }}
- { name: AOSC_QUEUE_PREFIX, value: {{ .Values.queuePrefix | quote }} }
- { name: AOSC_LOG_LEVEL, value: {{ .Values.logLevel | quote }} }
{{- range $name, $value := .Values.variables }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end -}}

{{- define "aosc.apiEnvironment" -}}
{{ include "aosc.commonEnvironment" . }}
{{- $allowedHosts := include "aosc.allowedHosts" . }}
- { name: AOSC_API_HOST, value: {{ .Values.listenAddress | quote }} }
{{- with .Values.api }}
- { name: AOSC_API_PORT, value: '9650' }
{{- if include "aosc.hasAuth" $ }}
- { name: AOSC_AUTH_FILE, value: /etc/aosc/api/auth.json }
{{- else }}
- { name: AOSC_API_ALLOW_UNAUTHENTICATED, value: {{ ternary "on-any-address" "on-loopback" .allowUnauthenticated }} }
{{- end }}
{{- if include "aosc.hasSessionKey" $ }}
- { name: AOSC_SESSION_KEY_FILE, value: /etc/aosc/api/session.key }
{{- end }}
{{- if .tls.secret }}
- { name: AOSC_API_TLS_CERT, value: /etc/aosc/api/tls.crt }
- { name: AOSC_API_TLS_KEY, value: /etc/aosc/api/tls.key }
{{- end }}
{{- with .trustedProxies }}
- { name: AOSC_API_TRUSTED_PROXIES, value: {{ join "," . | quote }} }
{{- end }}
{{- if or (eq .proxyTls "yes") (and .ingress.enabled .ingress.tls.secret) }}
- { name: AOSC_API_PROXY_TLS, value: 'yes' }
{{- end }}
{{- if $allowedHosts }}
- name: POD_IP
  valueFrom:
    fieldRef: { fieldPath: status.podIP }
- { name: AOSC_API_ALLOWED_HOSTS, value: {{ $allowedHosts | quote }} }
{{- end }}
{{- end }}
{{- end -}}

{{- define "aosc.schedulerEnvironment" -}}
{{ include "aosc.commonEnvironment" . }}
- { name: AOSC_METRICS_HOST, value: {{ .Values.listenAddress | quote }} }
- { name: AOSC_METRICS_PORT, value: {{ .Values.metricsPort | quote }} }
{{- end -}}

{{- define "aosc.workerEnvironment" -}}
{{ include "aosc.schedulerEnvironment" . }}
{{- with .Values.worker.concurrency }}
- { name: AOSC_WORKER_BACKFILL_CONCURRENCY, value: {{ .backfill | quote }} }
- { name: AOSC_WORKER_REPLAY_CONCURRENCY, value: {{ .replay | quote }} }
- { name: AOSC_WORKER_CATCHUP_CONCURRENCY, value: {{ .catchUp | quote }} }
{{- end }}
{{- end -}}
