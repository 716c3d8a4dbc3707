#!/bin/sh
# Finds what test:cluster needs besides what setup.sh installs. As root on Debian it installs
# what is missing; otherwise it prints one line that says what to do.
set -eu

if [ "$(id -u)" != 0 ]; then
	echo "test:cluster needs root, because it makes network namespaces and small disks." >&2
	exit 1
fi
missing=""
command -v patroni >/dev/null 2>&1 || missing="$missing patroni"
python3 -c 'import etcd' >/dev/null 2>&1 || /usr/bin/python3 -c 'import etcd' >/dev/null 2>&1 || missing="$missing python3-etcd"
command -v etcd >/dev/null 2>&1 || missing="$missing etcd-server"
command -v haproxy >/dev/null 2>&1 || [ -x /usr/sbin/haproxy ] || missing="$missing haproxy"
command -v ip >/dev/null 2>&1 || missing="$missing iproute2"
[ -n "$missing" ] || exit 0
if command -v apt-get >/dev/null 2>&1; then
	echo "Installing for test:cluster:$missing"
	log=$(mktemp)
	export DEBIAN_FRONTEND=noninteractive
	# A package may start its server. The test starts its own, with other addresses and folders.
	apt-get update >"$log" 2>&1 || :
	if apt-get install -y --no-install-recommends $missing >>"$log" 2>&1; then
		rm -f "$log"
		exit 0
	fi
	tail -n 20 "$log" >&2
	rm -f "$log"
fi
echo "test:cluster needs these Debian packages:$missing. Install them." >&2
exit 1
