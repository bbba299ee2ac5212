{{- /* What objects are called, and begin with: the name of the release, with room for -migration-again in the 63 characters of Kubernetes */ -}}
{{- define "exchange.name" -}}
{{ .Release.Name | trunc 47 | trimSuffix "-" }}
{{- end }}

{{- define "exchange.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "exchange.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: gateway
{{- end }}

{{- define "exchange.image" -}}
{{- with .Values.image }}{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}{{ end }}
{{- end }}

{{- define "exchange.secret" -}}
{{- if .Values.mongodb.existingSecret }}{{ .Values.mongodb.existingSecret }}
{{- else if .Values.mongodb.uri }}{{ include "exchange.name" . }}-mongodb
{{- else }}{{ fail "mongodb.existingSecret or mongodb.uri must be set: the service needs a MongoDB replica set" }}{{ end }}
{{- end }}

{{- define "exchange.podSecurity" -}}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "exchange.container" -}}
image: {{ include "exchange.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
env:
  - { name: CONFIG_FILE, value: /etc/inspection-exchange/config.yaml }
  - { name: MONGODB_URI_FILE, value: /run/mongodb/uri }
  {{- range $setting, $from := .Values.configFromSecrets }}
  - { name: {{ $setting }}_FILE, value: /run/settings/{{ $setting }} }
  {{- end }}
  {{- with .Values.env }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
volumeMounts:
  - { name: config, mountPath: /etc/inspection-exchange, readOnly: true }
  - { name: mongodb, mountPath: /run/mongodb, readOnly: true }
  - { name: tmp, mountPath: /tmp }
  {{- if .Values.configFromSecrets }}
  - { name: settings, mountPath: /run/settings, readOnly: true }
  {{- end }}
  {{- with .Values.volumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- define "exchange.volumes" -}}
- name: config
  configMap: { name: {{ .configMap | quote }} }
- name: mongodb
  secret:
    secretName: {{ .secret | quote }}
    defaultMode: 0440
    items: [{ key: {{ .Values.mongodb.key | quote }}, path: uri }]
- name: tmp
  emptyDir: { sizeLimit: 256Mi }
{{- with .Values.configFromSecrets }}
- name: settings
  projected:
    defaultMode: 0440
    sources:
      {{- range $setting, $from := . }}
      - secret: { name: {{ $from.secret | quote }}, items: [{ key: {{ $from.key | quote }}, path: {{ $setting }} }] }
      {{- end }}
{{- end }}
{{- with .Values.volumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "exchange.config" -}}
{{- $ingress := .Values.ingress }}
{{- $defaults := dict "TRUST_PROXY" (ternary 1 0 $ingress.enabled) }}
{{- if $ingress.enabled }}
{{- $_ := set $defaults "BASE_URL" (printf "%s://%s" (ternary "https" "http" (not (empty $ingress.tlsSecret))) $ingress.host) }}
{{- end }}
{{- toYaml (mergeOverwrite $defaults .Values.config (dict "PORT" 4000 "HOST" "0.0.0.0" "METRICS_PORT" 9464)) }}
{{- end }}

{{- /* How long a pod may take to stop: the 35 seconds of a stop, and those in which it is taken out of the balance */ -}}
{{- define "exchange.stopSeconds" -}}
{{ add 40 (int (default 0 .Values.config.DRAIN_SECONDS)) }}
{{- end }}
