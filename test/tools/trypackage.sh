#!/bin/sh
# Installs a package, runs its program and removes it again. tryrelease.sh calls it in a
# temporary copy of the system. Arguments: deb or rpm, and the file.
set -eu

kind=$1 package=$2
fail() { echo "$*" >&2 && exit 1; }
quietly() { "$@" >/tmp/octavo-try.log 2>&1 || { cat /tmp/octavo-try.log >&2 && fail "$*"; }; }
if [ "$kind" = rpm ]; then
	forced="--nodeps" # on Debian, rpm does not know which package provides /bin/sh
	! rpm --help | grep -q force-debian || forced="$forced --force-debian"
	rpm --initdb
fi
change() {
	case $kind-$1 in
	deb-install) # from the repository, as docs/releasing.md says
		mkdir -p /srv/octavo
		tar -xzf "$(dirname "$package")/apt.tar.gz" -C /srv/octavo
		echo 'deb [trusted=yes] file:/srv/octavo/apt ./' >/etc/apt/sources.list.d/octavo.list
		apt="-o Dir::Etc::SourceList=/etc/apt/sources.list.d/octavo.list -o Dir::Etc::SourceParts=-"
		quietly apt-get $apt update
		quietly apt-get $apt install --yes --no-install-recommends octavo
		;;
	deb-upgrade) quietly dpkg --install "$package" ;;
	deb-*) quietly dpkg "--$1" octavo ;;
	rpm-install) quietly rpm --install $forced "$package" ;;
	rpm-upgrade) quietly rpm --upgrade --replacepkgs $forced "$package" ;;
	rpm-remove) quietly rpm --erase $forced octavo ;;
	esac
}

change install
octavo version >/dev/null
getent passwd octavo >/dev/null || fail "there is no user octavo"
modes() { stat -c '%a %U:%G' /etc/octavo /etc/octavo/octavo.env /etc/octavo/private.pem | tr '\n' ','; }
[ "$(modes)" = "2750 root:octavo,640 root:octavo,640 root:octavo," ] ||
	fail "not root alone may change /etc/octavo, and the group octavo read it: $(ls -la /etc/octavo)"
for file in /usr/share/man/man1/octavo.1.gz /usr/share/doc/octavo/copyright /usr/share/bash-completion/completions/octavo; do
	[ -s $file ] || fail "the package lacks $file"
done
! command -v systemd-analyze >/dev/null 2>&1 || quietly systemd-analyze verify octavo.service

echo '# SERVICE_TRIED' >>/etc/octavo/octavo.env
sh "$(dirname "$0")/tryunit.sh"
[ "$(stat -c %U /var/lib/octavo/octavo.db)" = octavo ] || fail "the data is not the user's"

keys=$(cat /etc/octavo/private.pem)
chgrp -R root /etc/octavo # as older packages left it
chmod -R g=,o= /etc/octavo
chmod g-s /etc/octavo
change upgrade
[ "$(modes)" = "2750 root:octavo,640 root:octavo,640 root:octavo," ] || fail "after an upgrade the service cannot read its files: $(ls -la /etc/octavo)"
[ "$(cat /etc/octavo/private.pem)" = "$keys" ] && grep -q SERVICE_TRIED /etc/octavo/octavo.env || fail "an upgrade changed /etc/octavo"
change remove
[ ! -e /usr/bin/octavo ] || fail "the program was not removed"
[ -s /etc/octavo/private.pem ] || fail "removing deleted the keys"
if [ "$kind" = deb ]; then
	change purge
	[ ! -e /etc/octavo ] || fail "purging left /etc/octavo"
fi
[ -s /var/lib/octavo/octavo.db ] || fail "removing deleted the data"
