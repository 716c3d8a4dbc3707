#!/bin/sh
# Builds the image of deploy/Dockerfile without a container engine or registry. The Go of this
# system replaces the first stage, buildah builds the second. Needs root, buildah and the
# certificates of the system (apt-get install buildah ca-certificates).
#
#   image.sh FOLDER [ARCHITECTURE…]
#
# writes FOLDER/oci, an OCI layout with one image per architecture under the name octavo, and
# FOLDER/octavo_ARCHITECTURE.tar for each, for `docker load` or `podman load`. Only the latter
# have the health check, because OCI has no field for it. PUSH=docker://registry/name:tag pushes
# all of them in Docker's format and writes FOLDER/digest.
set -eu

[ "$(id -u)" = 0 ] || { echo "Run this as root: /data must belong to the user of the image." >&2 && exit 1; }
command -v buildah >/dev/null 2>&1 || { echo "Install buildah: apt-get install buildah" >&2 && exit 1; }
folder=$1
shift
[ $# -gt 0 ] || set -- "$(go env GOARCH)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
buildah() { command buildah --root "$work/storage" --runroot "$work/run" "$@"; }
quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2 && exit 1; }; }

# Every file has the date of the commit, so that the same commit produces the same image.
COMMIT=${COMMIT:-$(git rev-parse HEAD 2>/dev/null || true)}
DATE=${DATE:-$(TZ=UTC git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd 2>/dev/null || true)}
export COMMIT DATE
seconds=$(date -d "${DATE:-@0}" +%s)

rm -rf "$folder/oci"
mkdir -p "$folder"
quietly buildah manifest create octavo
for arch; do
	GOARCH=$arch sh deploy/rootfs.sh "$work/$arch/rootfs"
	quietly buildah build --format docker --platform "linux/$arch" --timestamp "$seconds" \
		--label "org.opencontainers.image.version=${VERSION:-dev}" --label "org.opencontainers.image.revision=$COMMIT" \
		--build-context "build=$work/$arch" --file deploy/Dockerfile --tag "octavo:$arch" "$work/$arch"
	rm -f "$folder/octavo_$arch.tar"
	quietly buildah push "octavo:$arch" "docker-archive:$folder/octavo_$arch.tar:octavo:${VERSION:-latest}"
	quietly buildah manifest add octavo "octavo:$arch"
done
quietly buildah manifest push --all --format oci octavo "oci:$folder/oci:octavo"
if [ -n "${PUSH:-}" ]; then
	quietly buildah manifest push --all --format v2s2 --digestfile "$folder/digest" octavo "$PUSH"
fi
