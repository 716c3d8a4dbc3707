package e2e_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/servers"
)

// inACopyOfTheSystem installs the package in the folder $3 in a copy of this system and starts its
// service at the port $4, after an upgrade. All writes go to a tmpfs at $1, which disappears with the mount
// namespace. $2 is the repository.
const inACopyOfTheSystem = `
	mount -t tmpfs tmpfs "$1" && mkdir "$1/upper" "$1/work" "$1/root"
	mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
	for folder in /proc /dev "$2" "$3"; do
		mkdir -p "$1/root$folder"
		mount --bind "$folder" "$1/root$folder"
	done
	exec chroot "$1/root" sh -euc '
		install() { dpkg --install "$3/octavo.deb" >/tmp/log 2>&1 || { cat /tmp/log >&2; exit 1; }; }
		install "$@"
		[ "$(stat -c %a:%U:%G /etc/octavo/private.pem)" = 640:root:octavo ] || { ls -la /etc/octavo; exit 1; }
		chgrp -R root /etc/octavo # as older packages left it
		chmod -R g=,o= /etc/octavo
		chmod g-s /etc/octavo
		install "$@"
		PORT=$4 exec sh "$2/test/tools/tryunit.sh"' - "$@"`

// The package is installed in a copy of this system, and its program is started as systemd would.
func TestThePackagedServiceReadsEveryFileThatItsSettingsName(t *testing.T) {
	deep.Only(t, "builds a package")
	t.Parallel()
	if testing.Short() || os.Geteuid() != 0 {
		t.Skip("only root may install a package in a copy of the system")
	}
	for _, tool := range []string{"dpkg-deb", "unshare", "setpriv"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir, work, port := servers.Dir(t), servers.Dir(t), strconv.Itoa(servers.Port(t))
	buildPackage(t, repository, dir)
	cmd := exec.CommandContext(t.Context(), "unshare", "--mount", "sh", "-euc", inACopyOfTheSystem, "-", work, repository, dir, port)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// buildPackage writes octavo.deb with the program, and with the files and scripts that
// .goreleaser.yaml takes from deploy.
func buildPackage(t *testing.T, repository, dir string) {
	t.Helper()
	var release struct {
		Nfpms []struct {
			Contents []struct{ Src, Dst string }
			Scripts  map[string]string
		}
	}
	text, err := os.ReadFile(filepath.Join(repository, ".goreleaser.yaml"))
	if err := errors.Join(err, yaml.Unmarshal(text, &release)); err != nil {
		t.Fatal(err)
	}
	root, deb := filepath.Join(dir, "root"), release.Nfpms[0]
	files := map[string]string{"DEBIAN/postinst": deb.Scripts["postinstall"], "DEBIAN/prerm": deb.Scripts["preremove"], "DEBIAN/postrm": deb.Scripts["postremove"]}
	for _, c := range deb.Contents {
		if strings.HasPrefix(c.Src, "deploy/") { // the others are made for a release
			files[c.Dst] = c.Src
		}
	}
	for to, from := range files {
		command(t, "install", "-D", "-m", "0755", filepath.Join(repository, from), filepath.Join(root, to))
	}
	command(t, "install", "-d", filepath.Join(root, "usr/bin"))
	e2e.Image(t, filepath.Join(root, "usr/bin/octavo"))
	control := "Package: octavo\nVersion: 1.0\nArchitecture: all\nMaintainer: nobody <nobody@example.edu>\nDescription: for a test\n"
	write(t, filepath.Join(root, "DEBIAN/control"), control)
	command(t, "dpkg-deb", "--root-owner-group", "-Znone", "--build", root, filepath.Join(dir, "octavo.deb"))
}
