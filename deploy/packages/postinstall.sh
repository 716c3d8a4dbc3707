#!/bin/sh
# Runs after the package was installed or upgraded.
set -e

case "$1" in
configure | 1 | 2) ;;
*) exit 0 ;; # dpkg undoes a failed removal
esac

if command -v systemd-sysusers >/dev/null 2>&1; then
	systemd-sysusers octavo.conf
elif ! getent passwd octavo >/dev/null; then
	useradd --system --user-group --home-dir /var/lib/octavo --no-create-home --shell /usr/sbin/nologin octavo
fi

# Secrets cannot be in the package: each installation makes its own, once.
if [ ! -e /etc/octavo/octavo.env ] && [ ! -e /etc/octavo/private.pem ]; then
	# The environment of the administrator must not change the settings.
	env -i /usr/bin/octavo init /etc/octavo --data-dir /var/lib/octavo --group octavo >/dev/null
	cat <<-'EOF'
		Octavo's settings and keys are in /etc/octavo. Next, if nothing is in front of this machine:
		  octavo up books.example.edu
		Behind a proxy:
		  edit /etc/octavo/octavo.env: BASE_URL, SMTP_URL and MAIL_FROM are needed
		  systemctl enable --now octavo octavo-backup.timer
	EOF
fi

# The service reads what its settings name. Older packages left all files to root alone.
if [ "$(stat -c %U:%G /etc/octavo 2>/dev/null)" = root:root ]; then
	find /etc/octavo -xdev \( -type d -o -type f \) -user root -group root -exec chgrp octavo {} + -exec chmod g+rX,o= {} +
	chmod g+s /etc/octavo
fi

[ ! -d /run/systemd/system ] || systemctl daemon-reload
# A running service is not restarted, because on Postgres the schema has to be migrated first.
# See docs/operations/upgrade.md.
