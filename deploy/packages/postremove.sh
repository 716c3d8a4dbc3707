#!/bin/sh
# Runs after the package was removed. Databases stay: only their owner may delete them.
set -e

[ ! -d /run/systemd/system ] || systemctl daemon-reload
if [ "$1" = purge ]; then
	rm -rf /etc/octavo
	[ ! -d /var/lib/octavo ] || echo "Octavo's databases are still in /var/lib/octavo."
fi
