#!/bin/sh
# Finds what the tests need besides Go. As root on Debian or Ubuntu it installs what is
# missing; otherwise it prints one line that lists it. Then it fetches the packages from npm.
set -eu

# fetch fetches the lists of test/tools/npm, each once on a machine; fromNPM of test/e2e names the same folders.
# What cannot be fetched fails in the tests that need it.
fetch() {
	cache="${XDG_CACHE_HOME:-$HOME/.cache}/octavo-test"
	began=$(date +%s)
	fetched=""
	for list in test/tools/npm/*.txt; do
		name=$(basename "$list" .txt)
		folder=$cache/$name-$(openssl dgst -sha256 -r "$list" | cut -c1-16)
		[ ! -e "$folder" ] || continue
		mkdir -p "$cache"
		sh test/tools/npm.sh "$list" "$folder" && fetched="$fetched $name" || :
	done
	[ -z "$fetched" ] || echo "Fetched from npm:$fetched, within $(($(date +%s) - began)) s."
	exit 0
}

missing=""
postgres() { ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null 2>&1; }
[ -n "${POSTGRES_TEST_URL:-}" ] || postgres || missing="$missing postgresql"
# The headless shell is the engine of Chromium for a quarter of its processor time. Without root
# any Chromium will do.
browser() { { command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null 2>&1; }
shell=chromium-headless-shell
command -v "$shell" >/dev/null 2>&1 || { [ "$(id -u)" != 0 ] && browser; } || missing="$missing $shell"
command -v redis-server >/dev/null 2>&1 || missing="$missing redis-server"
command -v pgbouncer >/dev/null 2>&1 || [ -x /usr/sbin/pgbouncer ] || missing="$missing pgbouncer"
# Programs that the recipes in docs use.
command -v node >/dev/null 2>&1 || missing="$missing nodejs"
command -v npm >/dev/null 2>&1 || missing="$missing npm"
command -v nginx >/dev/null 2>&1 || [ -x /usr/sbin/nginx ] || missing="$missing nginx-light"
command -v caddy >/dev/null 2>&1 || missing="$missing caddy"
command -v haproxy >/dev/null 2>&1 || [ -x /usr/sbin/haproxy ] || missing="$missing haproxy"
command -v varnishd >/dev/null 2>&1 || [ -x /usr/sbin/varnishd ] || missing="$missing varnish"
ls /usr/lib/*/varnish/vmods/libvmod_xkey.so >/dev/null 2>&1 || missing="$missing varnish-modules"
command -v java >/dev/null 2>&1 || missing="$missing default-jdk-headless"
[ -e /usr/share/java/gson.jar ] || missing="$missing libgoogle-gson-java"
command -v php >/dev/null 2>&1 || missing="$missing php-cli"
[ -e /usr/lib/apache2/modules/mod_auth_openidc.so ] || missing="$missing apache2 libapache2-mod-auth-openidc"
command -v soffice >/dev/null 2>&1 || missing="$missing libreoffice-calc"
command -v pngquant >/dev/null 2>&1 || missing="$missing pngquant" # shrinks the pictures of the documents
command -v xmlsec1 >/dev/null 2>&1 || missing="$missing xmlsec1"
[ -d /usr/share/simplesamlphp ] || missing="$missing simplesamlphp php-xml"
pyjwt() { "$1" -c 'import jwt, cryptography' >/dev/null 2>&1; }
pyjwt python3 || pyjwt /usr/bin/python3 || missing="$missing python3-jwt python3-cryptography"
flask() { "$1" -c 'import flask, authlib, requests' >/dev/null 2>&1; }
flask python3 || flask /usr/bin/python3 || missing="$missing python3-flask python3-authlib python3-requests"
command -v promtool >/dev/null 2>&1 || missing="$missing prometheus" # checks the alerts
command -v systemd-analyze >/dev/null 2>&1 || missing="$missing systemd" # checks the units
command -v rpm >/dev/null 2>&1 || missing="$missing rpm" # installs the package of a release
command -v dpkg-scanpackages >/dev/null 2>&1 || missing="$missing dpkg-dev" # makes a repository of apt
# Only root can build and unpack the image.
[ "$(id -u)" != 0 ] || command -v buildah >/dev/null 2>&1 || missing="$missing buildah"

[ -n "$missing" ] || fetch
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
	echo "Installing for the tests:$missing"
	log=$(mktemp)
	began=$(date +%s)
	export DEBIAN_FRONTEND=noninteractive
	# A package may start its server. The tests do not use it: they start their own.
	apt-get update >"$log" 2>&1 || :
	if ! apt-cache show "$shell" >/dev/null 2>&1; then # as on Ubuntu
		other=chromium
		! browser || other=""
		missing=$(echo "$missing" | sed "s/$shell/$other/")
	fi
	if apt-get install -y --no-install-recommends $missing >>"$log" 2>&1; then
		rm -f "$log"
		echo "Installed within $(($(date +%s) - began)) s."
		fetch
	fi
	tail -n 20 "$log" >&2
	rm -f "$log"
fi
echo "The tests need these Debian packages:$missing. Install them (instead of postgresql you can set POSTGRES_TEST_URL)." >&2
exit 1
