#!/bin/sh
# Starts octavo as systemd does by octavo.service, with every setting on that names a file. It runs
# as root in a temporary copy of the system in which the package was just installed.
set -eu

unit=/usr/lib/systemd/system/octavo.service
of() { sed -n "s/^$1=//p" $unit; }
user=$(of User) group=$(of Group) folder=/etc/octavo wanted=${PORT:-3987}

# The files are added as an administrator would, with the usual umask.
umask 022
for file in oidc-providers.yaml webhook-sources.yaml; do # their examples count
	sed '1,/^#$/d; s/^# \{0,1\}//' $folder/$file >/tmp/example
	cat /tmp/example >$folder/$file
done
echo 'a secret of the shop' >$folder/shop.secret
echo '- {match: push, url: "https://ci.example.edu/hook"}' >$folder/webhook-rules.yaml
echo 'a-secret-of-the-bucket' >$folder/s3.secret
octavo keys generate | sed -n 's/^PRIVATE_KEY="\(.*\)"$/\1/p' >$folder/previous.pem
octavo keys generate --oidc | sed -n 's/^OIDC_SIGNING_KEY="\(.*\)"$/\1/p' >$folder/oidc.pem
echo 'a-token-of-the-metrics' >$folder/metrics.token
echo 'example.edu, The University' >$folder/domains.csv
echo 'isbn,name,edition,course' >$folder/isbns.csv
mkdir $folder/pages $folder/mails
echo '# Terms' >$folder/pages/terms.md
cat >>$folder/octavo.env <<EOF
BASE_URL=https://books.example.edu
SMTP_URL=smtp://127.0.0.1:1
MAIL_FROM="Octavo <books@example.edu>"
OIDC_PROVIDERS=$folder/oidc-providers.yaml
WEBHOOK_SOURCES=$folder/webhook-sources.yaml
WEBHOOK_RULES=$folder/webhook-rules.yaml
BLOB_URL="s3://books?endpoint=http://127.0.0.1:1&region=us-east-1"
AWS_ACCESS_KEY_ID=octavo
AWS_SECRET_ACCESS_KEY_FILE=$folder/s3.secret
PREVIOUS_PRIVATE_KEYS_FILE=$folder/previous.pem
OIDC_SIGNING_KEY_FILE=$folder/oidc.pem
METRICS_TOKEN_FILE=$folder/metrics.token
CAMPUS_DOMAINS=@$folder/domains.csv
ISBN_TABLE=$folder/isbns.csv
PAGES_DIR=$folder/pages
MAIL_TEMPLATES=$folder/mails
EOF

# The folders and credentials of the unit are for its user alone.
install -d -o "$user" -g "$group" -m "$(of StateDirectoryMode)" "/var/lib/$(of StateDirectory)"
credentials=$(mktemp -d)
chown "$user" "$credentials"
for one in $(of LoadCredential); do
	install -o "$user" -m 0400 "${one#*:}" "$credentials/${one%%:*}"
done
(
	set -a
	. "$(of EnvironmentFile)"
	for one in $(of Environment) $(of ExecStart | sed "s|%d|$credentials|g"); do
		case $one in [A-Z]*=*) eval "$one" ;; esac
	done
	PORT=$wanted
	umask "$(of UMask)"
	sh "$(dirname "$0")/serves.sh" setpriv --reuid "$user" --regid "$group" --init-groups octavo
)
[ "$(stat -c %U "/var/lib/$(of StateDirectory)/octavo.db")" = "$user" ] || { echo "the data is not the user's" >&2 && exit 1; }
