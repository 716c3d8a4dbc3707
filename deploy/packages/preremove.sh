#!/bin/sh
# Runs before the package is removed (remove or 0) or upgraded (upgrade or 1).
set -e

case "$1" in
remove | 0) [ ! -d /run/systemd/system ] || systemctl disable --now octavo-backup.timer octavo.service ;;
esac
