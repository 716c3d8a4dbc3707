package e2e_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/servers"
)

// onAFreshMachine runs the program in a copy of this system, without systemd, in which the name of the site leads to
// this machine. All writes go to a tmpfs at $1, which disappears with the mount namespace. $2 is the program, $3 the
// file of the authority, $4 the name.
const onAFreshMachine = `
	mount -t tmpfs tmpfs "$1" && mkdir "$1/upper" "$1/work" "$1/root"
	mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
	rm -rf "$1/root/run/systemd" "$1/root/etc/octavo"
	mkdir -p "$1/root/root/octavo-0.1.0"
	cp "$2" "$1/root/root/octavo-0.1.0/octavo"
	cp "$3" "$1/root/ca.pem"
	chmod 644 "$1/root/ca.pem"
	echo "127.0.0.1 $4" >>"$1/root/etc/hosts"
	for folder in /proc /dev; do mount --rbind "$folder" "$1/root$folder"; done
	root=$1; shift 4
	exec chroot "$root/root" /root/octavo-0.1.0/octavo up "$@"`

// fresh is a machine on which octavo up has run.
type fresh struct {
	t                   *testing.T
	env, args           []string
	out                 string // the file with what it prints
	secure, plain, port int
	site                site
	mails               *smtpServer
}

// startFresh runs it with more settings in the environment.
func startFresh(t *testing.T, settings ...string) fresh {
	t.Helper()
	f := fresh{t: t, secure: servers.Port(t), plain: servers.Port(t), port: servers.Port(t), mails: &smtpServer{}}
	authority, mailAt := startPebble(t, f.secure, f.plain), servers.Address(t)
	f.mails.open(t, mailAt)
	f.env = []string{
		"ACME_DIRECTORY=" + authority.directory, "ACME_CA_FILE=/ca.pem", fmt.Sprintf("PORT=%d", f.port), "MAIL_FROM=Octavo <books@example.edu>",
		fmt.Sprintf("HTTPS_PORT=%d", f.secure), fmt.Sprintf("HTTP_PORT=%d", f.plain),
	}
	program := filepath.Join(servers.Dir(t), "octavo")
	e2e.Image(t, program)
	f.env = append(f.env, settings...)
	f.args = []string{bookName, "--owner", "olivia@example.edu", "--smtp", "smtp://" + mailAt}
	machine := []string{"--mount", "sh", "-euc", onAFreshMachine, "-", servers.Dir(t), program, authority.caFile, bookName}
	f.out = start(t, f.env, "unshare", append(machine, f.args...)...)
	f.site = site{bookName, strconv.Itoa(f.secure), authority.roots(t)}
	return f
}

var ownersLink = regexp.MustCompile(`https://\S+/invitation\?token=\S+`)

func TestOneCommandLeadsToASignedInOwnerOverHTTPS(t *testing.T) {
	t.Parallel()
	needsACopyOfTheSystem(t)
	f := startFresh(t)
	token := f.signsTheOwnerIn()
	if resp := must.Get(f.site.old().PostForm(f.address("/invitation"), url.Values{"token": {token}}))(t); resp.StatusCode != http.StatusNotFound {
		t.Errorf("the link works again: %s", resp.Status)
	}
	f.mails.await(t, "olivia@example.edu", "A test mail from Octavo")
	f.leavesWhatItShould()
	again := f.upAgain()
	if !strings.Contains(again, "has an account, which is an owner") || strings.Contains(again, "a test mail is on its way") {
		t.Errorf("once more: %s", again)
	}
}

func needsACopyOfTheSystem(t *testing.T) {
	t.Helper()
	skipOverReplicas(t)
	if _, err := exec.LookPath("unshare"); err != nil || os.Geteuid() != 0 {
		t.Skip("only root may run in a copy of the system")
	}
}

// signsTheOwnerIn opens the link that is printed, within a minute of the command, and returns its token.
func (f fresh) signsTheOwnerIn() (token string) {
	t := f.t
	t.Helper()
	began := time.Now()
	var link string
	poll.For(t, "the link of the first owner", func() bool {
		link = ownersLink.FindString(f.printed())
		return link != "" || strings.Contains(f.printed(), "FAILS") || strings.Contains(f.printed(), "octavo: ")
	})
	if link == "" {
		t.Fatal(f.printed())
	}
	browser := f.site.old()
	browser.Jar = must.Get(cookiejar.New(nil))(t)
	token = must.Get(url.Parse(link))(t).Query().Get("token")
	f.post(browser, "/invitation", url.Values{"token": {token}, "password": {e2e.Password}})
	if body := f.get(browser, "/dashboard"); !strings.Contains(body, "Dashboard") {
		t.Errorf("the owner sees %s", body)
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %s", took)
	} else {
		t.Logf("a signed-in owner after %s", took)
	}
	return token
}

// upAgain runs the same command, with more arguments, on the same machine, where the program runs.
func (f fresh) upAgain(more ...string) string {
	f.t.Helper()
	args := append([]string{"--target", f.process(), "--mount", "--root", "--wd=/root", "/usr/local/bin/octavo", "up"}, f.args...)
	cmd := exec.CommandContext(f.t.Context(), "nsenter", append(args, more...)...)
	cmd.Env = append(os.Environ(), f.env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		f.t.Errorf("%v: %s", err, out)
	}
	return string(out)
}

func (f fresh) printed() string { return string(must.Get(os.ReadFile(f.out))(f.t)) }

func (f fresh) address(path string) string {
	return fmt.Sprintf("https://%s:%d%s", bookName, f.secure, path)
}

func (f fresh) get(c *http.Client, path string) string {
	f.t.Helper()
	resp := must.Get(c.Get(f.address(path)))(f.t)
	defer func() { _ = resp.Body.Close() }()
	return string(must.Get(io.ReadAll(resp.Body))(f.t))
}

func (f fresh) post(c *http.Client, path string, form url.Values) {
	f.t.Helper()
	resp := must.Get(c.PostForm(f.address(path), form))(f.t)
	defer func() { _ = resp.Body.Close() }()
	if body := must.Get(io.ReadAll(resp.Body))(f.t); resp.StatusCode != http.StatusOK {
		f.t.Fatalf("%d: %s", resp.StatusCode, body)
	}
}

// leavesWhatItShould checks files, backup and what was printed, from outside of the copy of the system.
func (f fresh) leavesWhatItShould() {
	t := f.t
	t.Helper()
	poll.For(t, "the end of what is printed", func() bool { return strings.Contains(f.printed(), "until Ctrl+C") })
	root := "/proc/" + f.process() + "/root"
	env := string(must.Get(os.ReadFile(root + "/etc/octavo/octavo.env"))(t))
	for _, line := range []string{"OCTAVO_ENV=production", "HTTPS=auto", "DOMAIN=" + bookName} {
		if !strings.Contains(env, "\n"+line+"\n") {
			t.Errorf("octavo.env has no %s", line)
		}
	}
	secret := regexp.MustCompile(`(?m)^WEBHOOK_SECRET=(.+)$`).FindStringSubmatch(env)
	if secret == nil || strings.Contains(f.printed(), secret[1]) || strings.Contains(f.printed(), "PRIVATE KEY") {
		t.Errorf("a secret is printed: %s", f.printed())
	}
	if backups, _ := filepath.Glob(root + "/var/backups/octavo/*/octavo.db"); len(backups) != 1 {
		t.Errorf("the backups are %q", backups)
	}
	if text := scrape(t, fmt.Sprintf("http://127.0.0.1:%d", f.port)); !strings.Contains(text, "\noctavo_backup_age_seconds ") {
		t.Error("the metrics do not tell the age of the backup")
	}
	status := string(must.Get(os.ReadFile("/proc/" + f.process() + "/status"))(t))
	if strings.Contains(status, "\nUid:\t0\t") {
		t.Error("the program runs as root")
	}
}

// process is that of the server, which octavo up has started.
func (f fresh) process() string {
	f.t.Helper()
	all := must.Get(filepath.Glob("/proc/[0-9]*/environ"))(f.t)
	for _, path := range all {
		text, _ := os.ReadFile(path) // it may have ended
		if env := string(text); strings.Contains(env, fmt.Sprintf("HTTPS_PORT=%d\x00", f.secure)) && strings.Contains(env, "DATA_DIR=/var/lib/octavo\x00") {
			return filepath.Base(filepath.Dir(path))
		}
	}
	f.t.Fatal("no process serves")
	return ""
}
