package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/servers"
)

// underSystemd runs the program in a copy of this system, as onAFreshMachine does, where systemctl does what systemd would do of
// it: it notes what it is asked for, and starts the unit. When octavo up has ended, it prints what is there; then all processes end.
const underSystemd = `
	mount -t tmpfs tmpfs "$1" && mkdir "$1/upper" "$1/work" "$1/root"
	mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
	rm -rf "$1/root/etc/octavo" "$1/root/usr/local/bin/octavo"
	mkdir -p "$1/root/run/systemd/system" "$1/root/root/octavo-0.1.0"
	cp "$2" "$1/root/root/octavo-0.1.0/octavo"
	cp "$3" "$1/root/ca.pem" && chmod 644 "$1/root/ca.pem"
	echo "127.0.0.1 $4" >>"$1/root/etc/hosts"
	cat >"$1/root/usr/local/sbin/systemctl" <<'EOF'
#!/bin/sh
echo "$@" >>/asked
[ "$1" = restart ] || exit 0
unit=/etc/systemd/system/octavo.service
set -a
. "$(sed -n 's/^EnvironmentFile=//p' $unit)"
cd /
setpriv --reuid octavo --regid octavo --init-groups $(sed -n 's/^ExecStart=//p' $unit) >/log 2>&1 &
EOF
	chmod 755 "$1/root/usr/local/sbin/systemctl"
	for folder in /proc /dev; do mount --rbind "$folder" "$1/root$folder"; done
	root=$1; shift 4
	chroot "$root/root" /root/octavo-0.1.0/octavo up "$@" || { echo "exit $?"; cat "$root/root/log"; }
	echo "-- asked"; cat "$root/root/asked"
	echo "-- units"; ls "$root/root/etc/systemd/system"
	echo "-- owner"; stat -c %U "$root/root/var/lib/octavo/octavo.db" || stat -c %u "$root/root/var/lib/octavo/octavo.db"
	echo "-- beside"
	for command in "users list" "backup /var/backups/octavo/by-hand"; do env -i PATH="$PATH" chroot "$root/root" octavo $command; done
	find "$root/root/var/backups/octavo" -user root
	echo "-- moved"
	cd "$root/root" && pkill -x octavo && while pgrep -x octavo >/dev/null; do sleep 0.1; done
	mkdir copy && cp -r etc/octavo copy/etc && cp -r var/backups/octavo/by-hand copy/backup
	rm -rf etc/octavo var/lib/octavo var/backups/octavo usr/local/bin/octavo && chroot . userdel octavo
	cp -r copy/etc etc/octavo && cp -r copy/backup var/lib/octavo
	chroot . /root/octavo-0.1.0/octavo up "$@" || { echo "exit $?"; cat log; }
	env -i PATH="$PATH" chroot . octavo users list`

func TestWhereThereIsSystemdItGetsTheServiceAndTheNightlyBackup(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	for _, tool := range []string{"unshare", "setpriv", "useradd"} {
		if _, err := exec.LookPath(tool); err != nil || os.Geteuid() != 0 {
			t.Skip("only root may run in a copy of the system")
		}
	}
	secure, plain, program := servers.Port(t), servers.Port(t), filepath.Join(servers.Dir(t), "octavo")
	authority := startPebble(t, secure, plain)
	e2e.Image(t, program)
	cmd := exec.CommandContext(t.Context(), "unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-euc", underSystemd, "-",
		servers.Dir(t), program, authority.caFile, bookName, bookName, "--owner", "olivia@example.edu", "--yes")
	cmd.Env = append(os.Environ(), "ACME_DIRECTORY="+authority.directory, "ACME_CA_FILE=/ca.pem", fmt.Sprintf("PORT=%d", servers.Port(t)),
		fmt.Sprintf("HTTPS_PORT=%d", secure), fmt.Sprintf("HTTP_PORT=%d", plain))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
	printed, asked, _ := strings.Cut(string(out), "-- asked\n")
	asked, units, _ := strings.Cut(asked, "-- units\n")
	if ownersLink.FindString(printed) == "" || strings.Contains(printed, "no certificate yet") || !strings.Contains(printed, "Mails wait for a mail server") {
		t.Errorf("it prints %s", out)
	}
	if asked != "daemon-reload\nenable octavo.service octavo-backup.timer\nrestart octavo.service\nstart octavo-backup.timer\n" {
		t.Errorf("systemd is asked for %q", asked)
	}
	for _, unit := range []string{"octavo.service", "octavo-backup.service", "octavo-backup.timer"} {
		if !strings.Contains(units, unit+"\n") {
			t.Errorf("there is no %s: %s", unit, units)
		}
	}
	_, rest, _ := strings.Cut(units, "-- owner")
	owner, beside, _ := strings.Cut(rest, "-- beside\n")
	if strings.HasSuffix(owner, "\nroot\n") {
		t.Errorf("the data belongs to %s", owner)
	}
	beside, moved, _ := strings.Cut(beside, "-- moved\n")
	if !strings.Contains(beside, "olivia@example.edu  owner") || !strings.HasSuffix(beside, "after a restore.\n") {
		t.Errorf("commands beside the service say %s", beside)
	}
	if people, _, _ := strings.Cut(beside, "/"); !strings.Contains(moved, "\nOctavo runs at ") || !strings.HasSuffix(moved, people) {
		t.Errorf("on another machine: %s", moved)
	}
}
