package sources

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/sourcefile"
	"github.com/octavo-books/octavo/application/receiver"
)

func TestAShortSecretOfASourceIsLoggedWithoutItsValue(t *testing.T) {
	var out bytes.Buffer
	w := &Sources{log: slog.New(slog.NewTextHandler(&out, nil))}
	w.warnOfShortSecrets(sourcefile.Source{Name: "ci", Secrets: []receiver.Secret{{Name: "ci#1", Value: "a secret of sixteen"}, {Name: "ci#2", Value: "tulip"}}})
	if logged := out.String(); strings.Count(logged, "\n") != 1 || !strings.Contains(logged, "source=ci secret=ci#2") || strings.Contains(logged, "tulip") {
		t.Errorf("logged %s", logged)
	}
}

func TestASourceMayNotTakeAPathOfTheProgram(t *testing.T) {
	w := &Sources{routes: []string{"/", "/books", "/books/:id", "/static/*file"}}
	for path, want := range map[string]string{
		"/books": "/books", "/books/7": "/books/:id", "/static/a/b": "/static/*file", "/webhooks": "/webhooks", "/webhooks/x": "/webhooks",
		"/api/host/deliveries": "/api/host", "/books/7/hook": "", "/hooks/ci": "", "/bookshop": "", "/webhooksx": "",
	} {
		if got := w.routeAt(path); got != want {
			t.Errorf("%s belongs to %q, want %q", path, got, want)
		}
	}
}
