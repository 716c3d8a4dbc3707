#!/bin/sh
# Renders deploy/kubernetes and checks it against the API of the Kubernetes version below. The
# schema is in its Go module. To upgrade, change both lines:
# go mod download -json k8s.io/kubernetes@VERSION
set -eu

version=v1.36.3
sum=h1:qDQdoMiluAE2Eab6Fa52YV+WjiGz9mZFFoagEA6cI+o=

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go mod download -json "k8s.io/kubernetes@$version" >"$work/module.json"
grep -q "\"Sum\": \"$sum\"" "$work/module.json" || { echo "The hash of k8s.io/kubernetes $version is not the pinned one." >&2 && exit 1; }
folder=$(sed -n 's/.*"Dir": "\(.*\)".*/\1/p' "$work/module.json")

mkdir "$work/schemas"
go run ./test/tools/kubeschemas "$work/schemas" <"$folder/api/openapi-spec/swagger.json"
kustomize() { go tool -modfile=test/tools/kubernetes.mod kustomize build "$1"; }
check() {
	go tool -modfile=test/tools/kubernetes.mod kubeconform -strict -summary -skip PodMonitor \
		-schema-location "$work/schemas/{{.ResourceKind}}{{.KindSuffix}}.json" "$1"
}
kustomize deploy/kubernetes >"$work/all.yaml"
check "$work/all.yaml"

# The components are checked as part of a kustomization such as docs/hosting.md describes.
base=$(realpath --relative-to "$work" deploy/kubernetes)
printf 'resources: [%s]\ncomponents: [%s/autoscaling, %s/sso, %s/monitoring]\n' "$base" "$base" "$base" "$base" >"$work/kustomization.yaml"
kustomize "$work" >"$work/scaled.yaml"
check "$work/scaled.yaml"
