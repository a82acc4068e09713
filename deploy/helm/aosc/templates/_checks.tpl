{{/* What must not be installed. The processes check the rest at their start. */}}
{{- define "aosc.checks" -}}
{{- if not .Values.openSearch.url.secret -}}
{{- fail "openSearch.url.secret is not set: name a Secret whose key `url` holds the cluster's address" -}}
{{- end -}}
{{- if not .Values.redis.url.secret -}}
{{- fail "redis.url.secret is not set: name a Secret whose key `url` holds the address of Redis" -}}
{{- end -}}
{{- if and .Values.redis.sentinels.secret (eq .Values.redis.cluster "yes") -}}
{{- fail "redis.sentinels.secret and redis.cluster are both set: a Redis Cluster has no sentinels" -}}
{{- end -}}
{{- with .Values.api -}}
{{- if and (not .auth.secret) (ne .allowUnauthenticated "on-any-address") -}}
{{- fail "api.auth.secret is not set: anybody who reaches the API could start and cancel migrations. Name a Secret whose key `auth.json` holds the credentials file, or set api.allowUnauthenticated to on-any-address when something in front of the API guards it" -}}
{{- end -}}
{{- if and .auth.secret .allowUnauthenticated -}}
{{- fail "api.auth.secret and api.allowUnauthenticated are both set: an API has credentials or it has none" -}}
{{- end -}}
{{- if and .auth.secret (gt (int .replicas) 1) (not .sessionKey.secret) -}}
{{- fail "api.sessionKey.secret is not set: with several API pods, whoever signs in at one would be unknown to the others. Name a Secret whose key `session.key` holds random text, or set api.replicas to 1" -}}
{{- end -}}
{{- if and .ingress.enabled (not .ingress.host) -}}
{{- fail "api.ingress.host is not set" -}}
{{- end -}}
{{- end -}}
{{- if and .Values.openSearch.login.secret .Values.openSearch.aws.region -}}
{{- fail "openSearch.login.secret and openSearch.aws.region are both set: requests carry a password or are signed" -}}
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
