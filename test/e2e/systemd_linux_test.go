package e2e_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/servers"
)

// booted is a copy of this system in which systemd runs.
type booted struct {
	t    *testing.T
	init string // the first process of it
	env  []string
}

// bootSystemd starts systemd, as test/tools/bootsystemd.sh describes. It skips the test where that cannot be.
func bootSystemd(t *testing.T) booted {
	t.Helper()
	deep.Only(t, "boots a copy of the system")
	needsACopyOfTheSystem(t)
	for _, program := range []string{"/lib/systemd/systemd", "/usr/bin/dbus-daemon"} {
		if _, err := os.Stat(program); err != nil {
			t.Skip("systemd cannot run here: ", err)
		}
	}
	if out, err := exec.CommandContext(t.Context(), "unshare", "--mount", "--cgroup", "mount", "-t", "cgroup2", "cgroup2", "/mnt").CombinedOutput(); err != nil {
		t.Skipf("systemd cannot run here: no cgroup2: %s", out)
	}
	program := filepath.Join(servers.Dir(t), "octavo")
	e2e.Image(t, program)
	cmd := exec.CommandContext(t.Context(), "unshare", "--mount", "--pid", "--fork", "--kill-child", "--cgroup", "--ipc", "--uts",
		"sh", "../tools/bootsystemd.sh", servers.Dir(t), program, bookName)
	must.Do(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Wait() }) // the context of the test kills it
	b := booted{t: t}
	children := fmt.Sprintf("/proc/%d/task/%[1]d/children", cmd.Process.Pid)
	var last string
	poll.For(t, "systemd runs", func() bool {
		text, _ := os.ReadFile(children)
		if b.init = strings.TrimSpace(string(text)); b.init == "" {
			return false
		}
		last, _ = b.try("systemctl", "is-system-running")
		return last == "running\n" || last == "degraded\n"
	})
	if last != "running\n" {
		failed, _ := b.try("systemctl", "--failed", "--no-pager")
		t.Logf("systemd is %s%s", last, failed)
	}
	return b
}

// try runs a command on the machine and returns what it prints.
func (b booted) try(command ...string) (string, error) {
	args := append([]string{"--target", b.init, "--mount", "--pid", "--cgroup", "--ipc", "--uts", "--wd=/"}, command...)
	cmd := exec.CommandContext(b.t.Context(), "nsenter", args...)
	cmd.Env = append([]string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}, b.env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (b booted) run(command ...string) string {
	b.t.Helper()
	out, err := b.try(command...)
	if err != nil {
		journal, _ := b.try("journalctl", "--no-pager", "-n", "40")
		b.t.Fatalf("%q: %v: %s\n%s", command, err, out, journal)
	}
	return out
}

// show returns a property of a unit.
func (b booted) show(unit, property string) string {
	b.t.Helper()
	return strings.TrimSpace(b.run("systemctl", "show", "--value", "-p", property, unit))
}

func (b booted) file(path string) string { return "/proc/" + b.init + "/root" + path }

// privileged returns a port that only root and the capability of the unit may listen at.
func privileged(t *testing.T, from int) int {
	t.Helper()
	for port := from; port < 1024; port++ {
		if l, err := net.Listen("tcp", fmt.Sprint(":", port)); err == nil {
			must.Do(t, l.Close())
			return port
		}
	}
	t.Fatal("no port below 1024 is free")
	return 0
}

func TestUnderSystemdTheServiceComesBackAndTheNightlyBackupIsMade(t *testing.T) {
	t.Parallel()
	b := bootSystemd(t)
	secure, plain := privileged(t, 700), privileged(t, 800)
	authority := startPebble(t, secure, plain)
	must.Do(t, os.WriteFile(b.file("/ca.pem"), must.Get(os.ReadFile(authority.caFile))(t), 0o644))
	b.env = []string{
		"ACME_DIRECTORY=" + authority.directory, "ACME_CA_FILE=/ca.pem", fmt.Sprintf("PORT=%d", servers.Port(t)),
		fmt.Sprintf("HTTPS_PORT=%d", secure), fmt.Sprintf("HTTP_PORT=%d", plain),
	}
	out := b.run("/root/octavo-0.1.0/octavo", "up", bookName, "--owner", "olivia@example.edu", "--yes")
	if ownersLink.FindString(out) == "" || strings.Contains(out, "no certificate yet") {
		t.Errorf("it prints %s", out)
	}
	b.env = nil
	b.comesBack()
	b.backsUp()
	b.givesUpOnABadSetting()
}

// comesBack kills the program, which systemd starts again.
func (b booted) comesBack() {
	t := b.t
	t.Helper()
	if state := b.show("octavo", "ActiveState"); state != "active" {
		t.Fatalf("the service is %s: %s", state, b.run("journalctl", "--no-pager", "-u", "octavo"))
	}
	before := b.show("octavo", "MainPID")
	b.run("systemctl", "kill", "--kill-whom=main", "--signal=KILL", "octavo")
	poll.For(t, "another process", func() bool { return b.show("octavo", "NRestarts") == "1" && b.show("octavo", "MainPID") != before })
	poll.For(t, "the program answers", func() bool {
		_, err := b.try("octavo", "status")
		return err == nil
	})
	if log := b.run("journalctl", "--no-pager", "-u", "octavo", "-o", "cat"); !regexp.MustCompile(`(?m)^\{"time":.*"msg":`).MatchString(log) {
		t.Errorf("the journal has %s", log)
	}
}

// backsUp lets the timer do what it does at night.
func (b booted) backsUp() {
	t := b.t
	t.Helper()
	count := func() int { return len(must.Get(filepath.Glob(b.file("/var/backups/octavo/*/octavo.db")))(t)) }
	before := count()
	if next := b.show("octavo-backup.timer", "NextElapseUSecRealtime"); next == "" || next == "n/a" {
		t.Errorf("the next backup is %q", next)
	}
	b.run("rm", "-rf", "/var/backups/octavo") // the unit makes the folder
	b.run("systemctl", "start", "octavo-backup.service")
	if result := b.show("octavo-backup.service", "Result"); result != "success" || count() != 1 {
		t.Errorf("the backup: %s, %d backups, before %d", result, count(), before)
	}
}

// givesUpOnABadSetting expects no restart of what a restart cannot mend, and a stop that is none.
func (b booted) givesUpOnABadSetting() {
	t := b.t
	t.Helper()
	b.run("systemctl", "stop", "octavo")
	if result := b.show("octavo", "Result"); result != "success" {
		t.Errorf("a stop is %s", result)
	}
	b.run("sh", "-c", "echo MARKET_FEE_BPS=-1 >>/etc/octavo/octavo.env")
	_, _ = b.try("systemctl", "start", "octavo")
	poll.For(t, "the service has failed", func() bool { return b.show("octavo", "ActiveState") == "failed" })
	if status, restarts := b.show("octavo", "ExecMainStatus"), b.show("octavo", "NRestarts"); status != "2" || restarts != "0" {
		t.Errorf("it ended with %s, after %s restarts: %s", status, restarts, b.run("journalctl", "--no-pager", "-u", "octavo", "-n", "5"))
	}
}

func TestUnderSystemdThePackagesServiceIsStartedAndItsRemovalStopsIt(t *testing.T) {
	t.Parallel()
	servers.Need(t, "dpkg-deb", "apt-get install dpkg", "dpkg-deb")
	b := bootSystemd(t)
	dir := servers.Dir(t)
	buildPackage(t, must.Get(filepath.Abs("../.."))(t), dir)
	must.Do(t, os.WriteFile(b.file("/root/octavo.deb"), must.Get(os.ReadFile(filepath.Join(dir, "octavo.deb")))(t), 0o600))
	b.run("dpkg", "--install", "/root/octavo.deb")
	settings := "BASE_URL=https://" + bookName + "\nSMTP_URL=smtp://127.0.0.1:1\nMAIL_FROM=books@example.edu\nPORT=" + fmt.Sprint(servers.Port(t)) + "\n"
	b.run("sh", "-c", "printf '"+settings+"' >>/etc/octavo/octavo.env")
	b.run("systemctl", "enable", "--now", "octavo", "octavo-backup.timer")
	poll.For(t, "the program answers", func() bool {
		_, err := b.try("octavo", "status")
		return err == nil
	})
	b.run("dpkg", "--install", "/root/octavo.deb")
	if state := b.show("octavo", "ActiveState"); state != "active" {
		t.Errorf("an upgrade leaves the service %s", state)
	}
	b.backsUp()
	b.run("dpkg", "--remove", "octavo")
	for _, unit := range []string{"octavo.service", "octavo-backup.timer"} {
		if state := b.show(unit, "ActiveState"); state != "inactive" {
			t.Errorf("after the removal %s is %s", unit, state)
		}
	}
}
