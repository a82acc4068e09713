{{/* What must not be installed. The processes check the rest at their start. */}}
{{- define "aosc.checks" -}}
{{- if not (or .Values.openSearch.url.secret .Values.openSearch.url.value) -}}
{{- fail "openSearch.url is not set: give the cluster's address as openSearch.url.value, or name a Secret that holds it (openSearch.url.secret, key `url`)" -}}
{{- end -}}
{{- if not (or .Values.redis.url.secret .Values.redis.url.value) -}}
{{- fail "redis.url is not set: give the address of Redis as redis.url.value, or name a Secret that holds it (redis.url.secret, key `url`)" -}}
{{- end -}}
{{- range $name, $given := dict "openSearch.url" .Values.openSearch.url "redis.url" .Values.redis.url "api.auth" .Values.api.auth -}}
{{- if and $given.secret $given.value -}}
{{- fail (printf "%s.secret and %s.value are both set: give one of them" $name $name) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.redis.sentinels.secret .Values.redis.cluster -}}
{{- fail "redis.sentinels.secret and redis.cluster are both set: a Redis Cluster has no sentinels" -}}
{{- end -}}
{{- with .Values.api -}}
{{- if not (or (include "aosc.hasAuth" $) .allowUnauthenticated) -}}
{{- fail "api.auth is not set: anybody who reaches the API could start and cancel migrations. Give the credentials file as api.auth.value, or name a Secret that holds it (api.auth.secret, key `auth.json`), or set api.allowUnauthenticated to true when something in front of the API guards it" -}}
{{- end -}}
{{- if and (include "aosc.hasAuth" $) .allowUnauthenticated -}}
{{- fail "api.auth and api.allowUnauthenticated are both set: an API has credentials or it has none" -}}
{{- end -}}
{{- if and .ingress.enabled (not .ingress.host) -}}
{{- fail "api.ingress.host is not set" -}}
{{- end -}}
{{- if and .ingress.enabled (not .trustedProxies) -}}
{{- fail "api.trustedProxies is not set: behind the ingress all callers would be one address, and one of them could use up what all may ask. Name the networks of the ingress controller's pods" -}}
{{- end -}}
{{- end -}}
{{- with .Values.openSearch.login -}}
{{- if and .secret .username -}}
{{- fail "openSearch.login.secret and openSearch.login.username are both set: give one of them" -}}
{{- end -}}
{{- if ne (empty .username) (empty .password) -}}
{{- fail "openSearch.login.username and openSearch.login.password: set both or none" -}}
{{- end -}}
{{- end -}}
{{- if and (include "aosc.hasLogin" .) .Values.openSearch.aws.region -}}
{{- fail "openSearch.login and openSearch.aws.region are both set: requests carry a password or are signed" -}}
{{- end -}}
{{- with .Values.worker.autoscaling -}}
{{- if gt (int .minReplicas) (int .maxReplicas) -}}
{{- fail "worker.autoscaling.minReplicas is greater than maxReplicas" -}}
{{- end -}}
{{- if and (eq .mode "keda") (not .keda.prometheus.serverAddress) -}}
{{- fail "worker.autoscaling.keda.prometheus.serverAddress is not set: KEDA asks Prometheus for the queue depth" -}}
{{- end -}}
{{- end -}}
{{- $own := include "aosc.ownVariables" . | fromYamlArray -}}
{{- range $name, $value := .Values.variables -}}
{{- if has $name $own -}}
{{- fail (printf "variables.%s: the chart has a value of its own for it (README.md has the table)" $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Variables that other values stand for. */}}
{{- define "aosc.ownVariables" -}}
- AOSC_OPENSEARCH_URL
- AOSC_OPENSEARCH_CA
- AOSC_OPENSEARCH_CLIENT_CERT
- AOSC_OPENSEARCH_CLIENT_KEY
- AOSC_OPENSEARCH_USERNAME
- AOSC_OPENSEARCH_PASSWORD_FILE
- AOSC_OPENSEARCH_AWS_REGION
- AOSC_OPENSEARCH_AWS_SERVICE
- AOSC_OPENSEARCH_PLAIN_PASSWORD
- AOSC_REDIS_URL
- AOSC_REDIS_SENTINELS
- AOSC_REDIS_CLUSTER
- AOSC_REDIS_CA
- AOSC_REDIS_CLIENT_CERT
- AOSC_REDIS_CLIENT_KEY
- AOSC_QUEUE_PREFIX
- AOSC_LOG_LEVEL
- AOSC_API_HOST
- AOSC_API_PORT
- AOSC_API_ALLOW_UNAUTHENTICATED
- AOSC_API_ALLOWED_HOSTS
- AOSC_API_TRUSTED_PROXIES
- AOSC_API_PROXY_TLS
- AOSC_AUTH_FILE
- AOSC_SESSION_KEY_FILE
- AOSC_API_TLS_CERT
- AOSC_API_TLS_KEY
- AOSC_METRICS_HOST
- AOSC_METRICS_PORT
- AOSC_WORKER_BACKFILL_CONCURRENCY
- AOSC_WORKER_REPLAY_CONCURRENCY
- AOSC_WORKER_CATCHUP_CONCURRENCY
{{- end -}}
