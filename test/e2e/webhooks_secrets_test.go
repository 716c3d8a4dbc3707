package e2e_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
)

// The secrets of the rotation.
const (
	oldSecret = "the secret of last year"
	newSecret = "the secret of this year"
)

// rotation is a service with its secrets in files.
type rotation struct {
	*inboxRun
	secret, additional string // the files
	reloads, mistakes  int
}

func (r *rotation) write(secret, additional string) {
	r.t.Helper()
	for path, text := range map[string]string{r.secret: secret, r.additional: additional} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
}

// reload makes the service read its files again, and waits until each program has logged a text.
func (r *rotation) reload(words string, before int) {
	r.t.Helper()
	r.Signal(syscall.SIGHUP)
	r.until("not every program has logged: "+words, func() bool { return strings.Count(r.Log(), words) >= (before+1)*len(r.Each()) })
}

func (r *rotation) reloaded() {
	r.t.Helper()
	r.reload("webhook secrets read", r.reloads)
	r.reloads++
}

func (r *rotation) refused() {
	r.t.Helper()
	r.reload("sources and secrets are unchanged", r.mistakes)
	r.mistakes++
}

// sends signs a delivery with a secret and checks the beginning of the answer.
func (r *rotation) sends(id, secret, answer string) {
	r.t.Helper()
	out, _ := r.Octavo("webhooks", "send", "push", "--id", id, "--secret", secret, "--to", r.URL+"/api/host/webhooks")
	if !strings.HasPrefix(out, id+"  "+answer) {
		r.t.Fatalf("sending %s: %s", id, out)
	}
}

// counted returns how many deliveries all programs have verified with a secret.
func (r *rotation) counted(secret string) (n int) {
	r.t.Helper()
	for _, url := range r.Each() {
		found := regexp.MustCompile(`octavo_webhook_verified_total\{secret="` + secret + `"\} (\d+)`).FindStringSubmatch(scrape(r.t, url))
		if found == nil {
			r.t.Fatalf("%s has no count for %s", url, secret)
		}
		one, _ := strconv.Atoi(found[1])
		n += one
	}
	return n
}

func TestASecretIsRotatedWhileTheServiceRuns(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	r := &rotation{inboxRun: &inboxRun{t: t}, secret: filepath.Join(folder, "secret"), additional: filepath.Join(folder, "additional")}
	r.write(oldSecret+"\n", "")
	r.Server = e2e.StartWith(t, []string{"WEBHOOK_SECRET_FILE=" + r.secret, "WEBHOOK_ADDITIONAL_SECRETS_FILE=" + r.additional}, "webhooks")
	r.sends("one", oldSecret, "200")
	r.sends("two", newSecret, "400")

	r.write(newSecret, "old="+oldSecret+"@2300-01-01T00:00:00Z\n")
	r.reloaded()
	r.sends("three", newSecret, "200")
	if got := r.counted("old"); got != 0 {
		t.Errorf("the unused old secret is counted %d times, want 0", got)
	}
	r.sends("four", oldSecret, "200")
	if got := r.counted("old"); got != 1 {
		t.Errorf("the old secret was used once, and it is counted %d times, want 1", got)
	}
	if !regexp.MustCompile(`webhook delivery verified.*secret\W+old\b.*four`).MatchString(r.Log()) {
		t.Error("the log does not say that the old secret was used")
	}

	r.write("", "old="+oldSecret) // an incomplete file
	r.refused()
	r.write(newSecret, "tulip")
	r.refused()
	r.write(newSecret, "old="+oldSecret) // for the commands; the service gets no signal
	r.sends("five", newSecret, "200")
	r.sends("six", oldSecret, "200")

	r.write(newSecret, "")
	r.reloaded()
	r.sends("seven", oldSecret, "400")
	r.sends("eight", newSecret, "200")
	if log := r.Log(); strings.Contains(log, "tulip") || strings.Contains(log, oldSecret) || strings.Contains(log, newSecret) {
		t.Error("a secret is in the log")
	}
}

func TestAReloadSaysThatTheEnvironmentCannotBeReadAgain(t *testing.T) {
	t.Parallel()
	x := &inboxRun{t: t}
	x.Server = e2e.StartWith(t, []string{"WEBHOOK_SECRET=" + inboxSecret}, "webhooks")
	x.Signal(syscall.SIGHUP)
	x.awaitLog("a running program cannot read its environment again")
	x.awaitLog("WEBHOOK_SECRET_FILE")
}
