#!/usr/bin/env bash
# Renders the chart with everything switched on into rendered.yaml, and with what must be set alone, under the longest name that a
# release can have, into rendered-plain.yaml, which test/tools/helm-chart.test.ts checks; needs helm.
set -euo pipefail
cd "$(dirname "$0")"
sum=$(find inspection-exchange -type f -print0 | LC_ALL=C sort -z | xargs -0 cat | sha256sum | cut -d' ' -f1)
helm lint inspection-exchange --strict --set mongodb.existingSecret=mongodb --quiet
render() {
  local file=$1 rendered
  rendered=$(helm template "${@:2}" --kube-version 1.33.0)
  printf '# Of the chart with the SHA-256 %s; deploy/helm/render.sh writes it anew.\n%s\n' "$sum" "$rendered" >"$file"
}
render rendered-plain.yaml a-release-with-a-name-of-all-the-53-characters-it-can inspection-exchange \
  --set mongodb.existingSecret=mongodb
render rendered.yaml exchange inspection-exchange --set mongodb.uri=mongodb://mongodb.example/?replicaSet=rs0 \
  --set config.GRAPHQL_JIT=true --set serviceMonitor.enabled=true --set ingress.enabled=true --set ingress.host=exchange.example --set ingress.tlsSecret=tls \
  --set configFromSecrets.WEBHOOK_SECRET_KEY.secret=webhooks --set configFromSecrets.WEBHOOK_SECRET_KEY.key=key \
  --set 'env[0].name=OTEL_TRACES_SAMPLER' --set 'env[0].value=parentbased_traceidratio' \
  --set 'volumes[0].name=ca' --set 'volumes[0].secret.secretName=mongodb-ca' \
  --set 'volumeMounts[0].name=ca' --set 'volumeMounts[0].mountPath=/run/ca'
