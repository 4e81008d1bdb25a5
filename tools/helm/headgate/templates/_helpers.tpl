{{/* The name of every object: that of the release, with "headgate" in it once. Helm allows a release 53 characters. */}}
{{- define "headgate.name" -}}
{{- if contains "headgate" .Release.Name }}{{ .Release.Name }}
{{- else }}{{ .Release.Name }}-headgate
{{- end }}
{{- end }}

{{/* What never changes for a release, because a Deployment's selector cannot. */}}
{{- define "headgate.selector" -}}
app.kubernetes.io/name: headgate
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: service
{{- end }}

{{- define "headgate.labels" -}}
{{ include "headgate.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "headgate.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}
{{- end }}

{{/* What the service and the migration have in common: no privilege, and nothing to write to but two folders. */}}
{{- define "headgate.confined" -}}
image: {{ include "headgate.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
resources: {{- toYaml .Values.resources | nindent 2 }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
volumeMounts:
  - {name: tmp, mountPath: /tmp}
  - {name: cache, mountPath: /var/lib/headgate/.cache}
{{- end }}

{{- define "headgate.databaseUrl" -}}
- name: HEADGATE_DATABASE_URL
  valueFrom: {secretKeyRef: {name: {{ .Values.secret.name | quote }}, key: {{ .Values.secret.databaseUrl | quote }}}}
{{- end }}
