#!/bin/sh
# Writes what package managers need of a release, from the files in its folder and their checksums: a formula of Homebrew, a manifest
# of Scoop, and a repository of apt with its packages. It adds what it writes to checksums.txt, so that their signature and provenance
# cover it, too. Argument: the folder. Nothing is published.
set -eu

folder=$1
version=$(sed -n 's/.*"version":"\([^"]*\)".*/\1/p' "$folder/metadata.json")
url=https://github.com/octavo-books/octavo/releases/download/v$version
sum() { sed -n "s/^\([0-9a-f]\{64\}\)  $1\$/\1/p" "$folder/checksums.txt"; }
archive() { echo "octavo_${version}_$1"; }

for one in darwin_arm64.tar.gz darwin_amd64.tar.gz linux_arm64.tar.gz linux_amd64.tar.gz windows_amd64.zip windows_arm64.zip; do
	[ -n "$(sum "$(archive "$one")")" ] || { echo "checksums.txt has no $(archive "$one")" >&2; exit 1; }
done

block() { # of a formula: system, architecture, the names that Homebrew has for them
	printf '  on_%s do\n    on_%s do\n      url "%s/%s.tar.gz"\n      sha256 "%s"\n    end\n  end\n' \
		"$3" "$4" "$url" "$(archive "$1_$2")" "$(sum "$(archive "$1_$2").tar.gz")"
}
{
	cat <<-EOF
		class Octavo < Formula
		  desc "Auth service, book marketplace and webhook receiver"
		  homepage "https://github.com/octavo-books/octavo"
		  version "$version"
		  license "MIT"
	EOF
	block darwin arm64 macos arm
	block darwin amd64 macos intel
	block linux arm64 linux arm
	block linux amd64 linux intel
	cat <<-'EOF'
		  def install
		    bin.install "octavo"
		    man1.install "octavo.1"
		    bash_completion.install "completions/octavo.bash" => "octavo"
		    zsh_completion.install "completions/_octavo"
		    fish_completion.install "completions/octavo.fish"
		  end

		  test do
		    assert_match version.to_s, shell_output("#{bin}/octavo version")
		  end
		end
	EOF
} >"$folder/octavo.rb"

scoop() { printf '    "%s": {"url": "%s/%s.zip", "hash": "%s", "extract_dir": "%s"}' "$2" "$url" "$(archive "windows_$1")" "$(sum "$(archive "windows_$1").zip")" "$(archive "windows_$1")"; }
cat >"$folder/octavo.json" <<EOF
{
  "version": "$version",
  "description": "Auth service, book marketplace and webhook receiver",
  "homepage": "https://github.com/octavo-books/octavo",
  "license": "MIT",
  "architecture": {
$(scoop amd64 64bit),
$(scoop arm64 arm64)
  },
  "bin": "octavo.exe"
}
EOF

# As in goreleaser's archives, the time is that of the commit, so that the same packages make the same repository.
when=@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
rm -rf "$folder/apt"
mkdir "$folder/apt"
cp "$folder"/*.deb "$folder/apt/"
(
	cd "$folder/apt"
	dpkg-scanpackages --multiversion . 2>/dev/null >Packages
	gzip -9 -c -n Packages >Packages.gz
	{
		printf 'Origin: Octavo\nLabel: Octavo\nSuite: stable\nDate: %s\nSHA256:\n' "$(LC_ALL=C date -u -R -d "$when")"
		for file in Packages Packages.gz; do
			echo " $(sha256sum <$file | cut -c1-64) $(wc -c <$file) $file"
		done
	} >Release
)
tar --sort=name --mtime="$when" --owner=root:0 --group=root:0 --mode=u=rwX,go=rX -cf - -C "$folder" apt | gzip -9 -n >"$folder/apt.tar.gz"

cd "$folder"
sed -i '/  \(octavo\.rb\|octavo\.json\|apt\.tar\.gz\)$/d' checksums.txt
sha256sum apt.tar.gz octavo.json octavo.rb >>checksums.txt
