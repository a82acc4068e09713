{{/* One Deployment: root, component (api, scheduler, worker), environment, port, scheme, gracePeriod, replicas. */}}
{{- define "aosc.deployment" -}}
{{- $root := .root -}}
{{- $component := .component -}}
{{- $values := index $root.Values .component -}}
{{- $folders := include "aosc.fileFolders" . | fromYaml -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "aosc.fullname" $root }}-{{ .component }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "aosc.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
spec:
  {{- if not (kindIs "string" .replicas) }}
  replicas: {{ .replicas }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "aosc.selectorLabels" $root | nindent 6 }}
      app.kubernetes.io/component: {{ .component }}
  strategy:
    rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }
  template:
    metadata:
      labels:
        {{- with $values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
        {{- include "aosc.labels" $root | nindent 8 }}
        app.kubernetes.io/component: {{ .component }}
      {{- with $values.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      serviceAccountName: {{ include "aosc.serviceAccountName" $root }}
      automountServiceAccountToken: false
      # A Service called aosc would put names that begin with AOSC_ into each pod, and a process refuses those it does not know.
      enableServiceLinks: false
      terminationGracePeriodSeconds: {{ .gracePeriod }}
      {{- with $values.priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      {{- with $root.Values.image.pullSecrets }}
      imagePullSecrets:
        {{- range . }}
        - name: {{ . }}
        {{- end }}
      {{- end }}
      securityContext:
        runAsNonRoot: true
        {{- range $field, $value := $root.Values.podSecurityContext }}
        {{- if not (kindIs "invalid" $value) }}
        {{ $field }}: {{ $value }}
        {{- end }}
        {{- end }}
        seccompProfile: { type: RuntimeDefault }
      {{- with $values.initContainers }}
      initContainers:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: {{ .component }}
          image: {{ include "aosc.image" $root | quote }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          args: [{{ .component }}]
          env:
            {{- .environment | nindent 12 }}
            {{- with $values.extraEnv }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          ports:
            - { name: {{ .portName }}, containerPort: {{ .port }}, protocol: TCP }
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: { drop: [ALL] }
          resources:
            {{- toYaml $values.resources | nindent 12 }}
          # Scheduler and worker answer only once they have reached OpenSearch: they wait for servers that are not up yet.
          startupProbe:
            httpGet: { path: /healthz, port: {{ .portName }}, scheme: {{ .scheme }} }
            periodSeconds: 5
            timeoutSeconds: 3
            failureThreshold: 120
          livenessProbe:
            httpGet: { path: /healthz, port: {{ .portName }}, scheme: {{ .scheme }} }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          # OpenSearch gets 3 s for its answer.
          readinessProbe:
            httpGet: { path: /readyz, port: {{ .portName }}, scheme: {{ .scheme }} }
            periodSeconds: 5
            timeoutSeconds: 5
            failureThreshold: 2
          {{- if .preStopSeconds }}
          lifecycle:
            preStop:
              exec: { command: [sleep, {{ .preStopSeconds | quote }}] }
          {{- end }}
          volumeMounts:
            - { name: tmp, mountPath: /tmp }
            {{- range $folder, $sources := $folders }}
            - { name: files-{{ $folder }}, mountPath: /etc/aosc/{{ $folder }}, readOnly: true }
            {{- end }}
            {{- with $values.extraVolumeMounts }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
      volumes:
        - name: tmp
          emptyDir: { medium: Memory, sizeLimit: 16Mi }
        {{- range $folder, $sources := $folders }}
        - name: files-{{ $folder }}
          projected:
            # 0440: the group is fsGroup.
            defaultMode: 288
            sources:
              {{- toYaml $sources | nindent 14 }}
        {{- end }}
        {{- with $values.extraVolumes }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      topologySpreadConstraints:
        {{- with $values.topologySpreadConstraints }}
        {{- toYaml . | nindent 8 }}
        {{- else }}
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "aosc.selectorLabels" $root | nindent 14 }}
              app.kubernetes.io/component: {{ $component }}
        {{- end }}
      {{- with $values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $values.affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
{{- end -}}
