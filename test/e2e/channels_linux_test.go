package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/servers"
)

// withoutSources runs a script in the folder $2 in a copy of this system that knows no repository. All writes go to a tmpfs at
// $1, which disappears with the mount namespace.
const withoutSources = `
	mount -t tmpfs tmpfs "$1" && mkdir "$1/upper" "$1/work" "$1/root"
	mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
	for folder in /proc /dev "$2"; do
		mkdir -p "$1/root$folder"
		mount --bind "$folder" "$1/root$folder"
	done
	rm -rf "$1/root/etc/apt/sources.list" "$1/root/etc/apt/sources.list.d"/* "$1/root/srv/octavo"
	exec chroot "$1/root" sh -euxc 'cd "$1"; umask 022; . ./script' - "$2"`

func TestAptInstallsFromTheRepositoryOfARelease(t *testing.T) {
	t.Parallel()
	if testing.Short() || os.Geteuid() != 0 {
		t.Skip("only root may install a package in a copy of the system")
	}
	needPackageTools(t, "unshare", "gpg")
	dir, _ := release(t)
	channels(t, dir)
	var documented []string
	for _, b := range blocks(t)["docs/releasing.md"] {
		if strings.Contains(b.info, t.Name()) {
			documented = append(documented, b.text)
		}
	}
	if len(documented) != 2 {
		t.Fatalf("docs/releasing.md has %d blocks", len(documented))
	}
	write(t, filepath.Join(dir, "script"), documented[0]+`
		octavo
		apt-get purge --yes octavo
		export GNUPGHOME=/root/keys
		mkdir -m 700 "$GNUPGHOME"
		gpg --batch --passphrase "" --quick-generate-key files@example.edu
		`+documented[1]+`
		apt-get install --yes octavo
		octavo
		echo changed >>/srv/octavo/apt/Packages
		sed -i s/Octavo/Other/ /srv/octavo/apt/InRelease
		! apt-get update --error-on=any`)
	must.Do(t, os.Chmod(dir, 0o755))
	cmd := exec.CommandContext(t.Context(), "unshare", "--mount", "sh", "-euc", withoutSources, "-", servers.Dir(t), dir)
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "\noctavo 0.1.0\n") != 2 {
		t.Errorf("%v: %s", err, out)
	}
}
