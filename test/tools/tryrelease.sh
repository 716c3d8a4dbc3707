#!/bin/sh
# Tries the files that goreleaser wrote to dist: the archive in an empty folder, the packages
# in a copy of this system (trypackage.sh). It reports what it could not try.
set -eu

dist=$(pwd)/dist
case $(uname -m) in
x86_64) arch=amd64 rpm=x86_64 ;;
aarch64) arch=arm64 rpm=aarch64 ;;
*) echo "There is no release for $(uname -m)." >&2 && exit 1 ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*" >&2 && exit 1; }

echo "checksums and SBOMs"
(cd "$dist" && sha256sum --check --quiet checksums.txt)
[ "$(grep -Ec '  octavo[_-][^ ]+\.(tar\.gz|zip|deb|rpm)$' "$dist/checksums.txt")" = 10 ] || fail "there are not six archives and four packages"
for system in linux darwin windows; do
	for architecture in amd64 arm64; do
		bom=$(echo "$dist"/octavo_*_${system}_$architecture.spdx.json)
		grep -q '"name": *"modernc.org/sqlite"' "$bom" || fail "$bom does not list the modules of the program"
		grep -q "  $(basename "$bom")\$" "$dist/checksums.txt" || fail "$bom has no checksum"
	done
done

echo "Homebrew, Scoop and apt"
version=$(sed -n 's/.*"version":"\([^"]*\)".*/\1/p' "$dist/metadata.json")
for file in octavo.rb octavo.json apt.tar.gz; do
	grep -q "  $file\$" "$dist/checksums.txt" || fail "$file has no checksum"
done
! command -v ruby >/dev/null 2>&1 || ruby -c "$dist/octavo.rb" >/dev/null
grep -q "$(sha256sum <"$dist/octavo_${version}_linux_$arch.tar.gz" | cut -c1-64)" "$dist/octavo.rb" || fail "octavo.rb has another checksum"
grep -q "$(sha256sum <"$dist/octavo_${version}_windows_amd64.zip" | cut -c1-64)" "$dist/octavo.json" || fail "octavo.json has another checksum"

echo "archive"
mkdir "$work/archive"
tar -xzf "$dist"/octavo_*_linux_$arch.tar.gz -C "$work/archive" --strip-components 1
for file in LICENSE README.md CHANGELOG.md third-party-licenses.txt octavo.1 \
	completions/octavo.bash completions/_octavo completions/octavo.fish completions/octavo.ps1; do
	[ -s "$work/archive/$file" ] || fail "the archive lacks $file"
done
value() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" "$dist/metadata.json"; }
built="octavo $(value version) (commit $(value commit | cut -c 1-12), "
case $("$work/archive/octavo" version) in
"$built"*) ;;
*) fail "not $built…: $("$work/archive/octavo" version)" ;;
esac
bash -n "$work/archive/completions/octavo.bash"
if command -v man >/dev/null 2>&1; then
	warnings=$(LC_ALL=C.UTF-8 man --warnings -l "$work/archive/octavo.1" 2>&1 >"$work/page")
	[ -z "$warnings" ] || fail "octavo.1: $warnings"
	grep -q 'octavo users promote' "$work/page" || fail "octavo.1 does not show its commands"
else
	echo "  man is not installed: octavo.1 was not shown" >&2
fi
(cd "$work/archive" && sh "$dist/../test/tools/serves.sh" ./octavo)

if [ "$(id -u)" != 0 ]; then
	echo "  not root: the packages were not installed" >&2
	exit 0
fi
for package in "$dist"/*_$arch.deb "$dist"/*.$rpm.rpm; do
	kind=${package##*.}
	manager=rpm
	[ "$kind" = rpm ] || manager=dpkg
	echo "$kind"
	if ! command -v $manager >/dev/null 2>&1; then
		echo "  $manager is not installed: the package was not installed" >&2
		continue
	fi
	# All writes go to the tmpfs, which disappears with the mount namespace.
	mkdir "$work/$kind"
	unshare --mount sh -eu -c '
		mount -t tmpfs tmpfs "$1" && mkdir "$1/upper" "$1/work" "$1/root"
		mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
		mount --bind /proc "$1/root/proc"
		mount --bind /dev "$1/root/dev"
		mkdir -p "$1/root$2"
		mount --bind "$2" "$1/root$2"
		exec chroot "$1/root" sh "$2/test/tools/trypackage.sh" "$3" "$4"' \
		- "$work/$kind" "$(pwd)" "$kind" "$package"
done
