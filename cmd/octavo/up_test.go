package main

import (
	"encoding/pem"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/must"
)

// atNowhere are the settings of a certificate authority that does not answer.
var atNowhere = map[string]string{"ACME_DIRECTORY": "https://127.0.0.1:1/dir", "HTTPS_PORT": "18443", "HTTP_PORT": "18080", "PORT": "13999"}

func TestUpSaysWhatItWouldDoAndChangesNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	_, before := os.Stat("/etc/octavo")
	out, errs, code := octavo(t, atNowhere, "up", "books.example.invalid", "--owner", "olivia@example.edu", "--smtp", "smtps://me%40example.edu:secret@127.0.0.1:1", "--dry-run")
	if code != 1 || errs != "" { // checks fail
		t.Errorf("code %d: %s", code, errs)
	}
	for _, want := range []string{"DOMAIN=books.example.invalid", "HTTPS=auto", `MAIL_FROM="Octavo <me@example.edu>"`, "SMTP_URL=(not shown)", "FAILS  name", "FAILS  authority", "olivia@example.edu", "Nothing was changed."} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q: %s", want, out)
		}
	}
	if strings.Contains(out, "secret@") {
		t.Errorf("it prints a password: %s", out)
	}
	entries, err := os.ReadDir(".")
	if _, after := os.Stat("/etc/octavo"); err != nil || len(entries) > 0 || os.IsNotExist(before) != os.IsNotExist(after) {
		t.Errorf("it left %v, %v", entries, err)
	}
}

func TestUpChangesNothingWhereSomethingIsInTheWay(t *testing.T) {
	t.Chdir(t.TempDir())
	out, _, code := octavo(t, atNowhere, "up", "books.example.invalid", "--owner", "olivia@example.edu")
	if entries, err := os.ReadDir("."); code != 1 || err != nil || len(entries) > 0 || !strings.Contains(out, "Nothing was changed") || !strings.Contains(out, "no mail server yet") {
		t.Errorf("code %d, %v, %v: %s", code, entries, err, out)
	}
	if out, _, _ := octavo(t, atNowhere, "up", "books.example.invalid", "--owner", "olivia@example.edu", "--dry-run"); strings.Contains(out, "SMTP_URL=(not shown)") {
		t.Errorf("it hides a mail server that nobody named: %s", out)
	}
}

func TestUpChangesNothingWherePostgresDoesNotAnswer(t *testing.T) {
	t.Chdir(t.TempDir())
	env := maps.Clone(atNowhere)
	env["DATABASE_URL"] = "postgres://octavo:hushhush@127.0.0.1:1/octavo"
	for args, want := range map[string]string{"--dry-run": "DATABASE_URL=(not shown)", "--yes": "Nothing was changed. Mend"} {
		out, errs, _ := octavo(t, env, "up", "books.example.invalid", "--owner", "olivia@example.edu", args)
		entries, err := os.ReadDir(".")
		if err != nil || len(entries) > 0 || !strings.Contains(out, "FAILS  database") || !strings.Contains(out, want) || strings.Contains(out+errs, "hushhush") {
			t.Errorf("%s: %v, %v: %s%s", args, entries, err, out, errs)
		}
	}
}

func TestUpSaysWhichPortIsTakenAndThatTheClockIsWrong(t *testing.T) {
	t.Chdir(t.TempDir())
	taken := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer func() { _ = taken.Close() }()
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	authority := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
		_, _ = w.Write([]byte("{}"))
	}))
	defer authority.Close()
	must.Do(t, os.WriteFile("ca.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authority.Certificate().Raw}), 0o600))
	env := map[string]string{"ACME_DIRECTORY": authority.URL, "ACME_CA_FILE": "ca.pem", "HTTPS_PORT": "18443", "HTTP_PORT": "18080", "PORT": port}
	out, errs, code := octavo(t, env, "up", "books.example.invalid", "--owner", "olivia@example.edu", "--yes")
	if code != 1 || !strings.Contains(out, "FAILS  ports") || !strings.Contains(out, port) || !strings.Contains(out, "FAILS  clock") || !strings.Contains(out, "timedatectl") {
		t.Errorf("code %d: %s%s", code, out, errs)
	}
}

func TestUpNeedsToKnowTheNameAndTheOwner(t *testing.T) {
	t.Chdir(t.TempDir())
	for args, want := range map[string]string{
		"up books.example.edu --yes":                    "--owner",
		"up books.example.edu --owner olivia --yes":     "--owner",
		"up --owner olivia@example.edu --yes":           "DOMAIN",
		"up localhost --owner olivia@example.edu --yes": "DOMAIN",
	} {
		if _, errs, code := octavo(t, atNowhere, strings.Fields(args)...); code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: code %d, %s", args, code, errs)
		}
	}
}

func TestALinkOpensTheAccountOfTheFirstOwner(t *testing.T) {
	env := map[string]string{"DATA_DIR": filepath.Join(t.TempDir(), "data"), "BASE_URL": "https://books.example.edu"}
	if _, errs, code := octavo(t, env, "migrate", "up"); code != 0 {
		t.Fatal(errs)
	}
	var links []string
	for range 2 { // the second replaces the first
		out, errs, code := octavo(t, env, "users", "owner", "olivia@example.edu")
		link, _, _ := strings.Cut(out, "\n")
		if code != 0 || !strings.HasPrefix(link, "https://books.example.edu/invitation?token=") {
			t.Fatalf("%d %s%s", code, out, errs)
		}
		links = append(links, link)
	}
	if out, _, _ := octavo(t, env, "users", "list"); links[0] == links[1] || strings.Count(out, "olivia@example.edu  owner") != 1 {
		t.Errorf("the links are %q, the people %s", links, out)
	}
}

func TestTheStatusOfAServerThatDoesNotRunIsAFailure(t *testing.T) {
	env := map[string]string{"DATA_DIR": t.TempDir(), "PORT": "13998"}
	if out, _, code := octavo(t, env, "status"); code != 1 || !strings.Contains(out, "not running") || !strings.Contains(out, "last backup") {
		t.Errorf("%d %s", code, out)
	}
	onPostgres := map[string]string{"DATA_DIR": env["DATA_DIR"], "PORT": "13998", "DATABASE_URL": "postgres://octavo@127.0.0.1:1/octavo"}
	if out, _, code := octavo(t, onPostgres, "status"); code != 1 || !strings.Contains(out, "octavo docs operations/backup-postgres") {
		t.Errorf("%d %s", code, out)
	}
	if out, _, code := octavo(t, env, "status", "--json"); code != 1 || !strings.Contains(out, `"running":false`) {
		t.Errorf("%d %s", code, out)
	}
}
