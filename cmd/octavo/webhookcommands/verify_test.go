package webhookcommands

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

// savedRequest is a request of Stripe to the source shop, as somebody has saved it.
func savedRequest(t *testing.T, at time.Time, body string) string {
	t.Helper()
	key, err := webhook.Stripe.Key("the source secret")
	if err != nil {
		t.Fatal(err)
	}
	r, err := key.SignRequest(webhook.Event{Payload: []byte(body)}, at)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("POST /hooks/shop HTTP/1.1\r\nHost: hooks.example\r\nstripe-signature: %s\r\nContent-Type: application/json\r\n\r\n%s", r.Header["Stripe-Signature"][0], body)
}

func TestVerifyNamesTheWrongPartOfASavedRequest(t *testing.T) {
	w, now := newFakeTools(), time.Now()
	good := savedRequest(t, now, `{"id":"evt_7","type":"invoice.paid"}`)
	file := filepath.Join(t.TempDir(), "request")
	for name, c := range map[string]struct {
		text, want string
		args       []string
	}{
		"a good one":       {good, "valid: signed with shop#1\n", []string{"--source", "shop"}},
		"an old one":       {savedRequest(t, now.Add(-2*time.Hour), "{}"), "not valid\ntime: the signature is right, but it was made 2h0m", []string{"--source", "shop"}},
		"another body":     {good + "\n", "not valid\nbody: the body was changed", []string{"--source", "shop"}},
		"another secret":   {good, "not valid\nsecret or body: another secret signed it", []string{"--source", "shop", "--secret", "guess"}},
		"a quoted secret":  {good, "not valid\nsecret: the secret is written in another way", []string{"--sender", "stripe", "--secret", "'the source secret'"}},
		"no signature":     {strings.Replace(good, "stripe-signature", "x-signature", 1), "not valid\nheader: required headers missing: stripe-signature", []string{"--source", "shop"}},
		"a sender by name": {good, "valid\n", []string{"--sender", "stripe", "--secret", "the source secret"}},
	} {
		must.Do(t, os.WriteFile(file, []byte(c.text), 0o600))
		out, err := w.run(t, "", append([]string{"verify", "--request", file}, c.args...)...)
		if !strings.HasPrefix(out, c.want) || strings.HasPrefix(out, "valid") != (err == nil) || err != nil && !errors.Is(err, terminal.ErrSilent) {
			t.Errorf("%s: %q, %v; want %q", name, out, err, c.want)
		}
	}
}

func TestVerifyTakesHeadersAndPayloadFromTwoPlaces(t *testing.T) {
	w := newFakeTools()
	head, body, _ := strings.Cut(savedRequest(t, time.Now(), `{"id":"evt_7","type":"invoice.paid"}`), "\r\n\r\n")
	_, head, _ = strings.Cut(head, "\r\n")
	file := filepath.Join(t.TempDir(), "headers")
	must.Do(t, os.WriteFile(file, []byte(strings.ReplaceAll(head, "\r", "")), 0o600))
	w.says(t, body, "valid: signed with shop#1\n", "verify", "--source", "shop", "--headers", file)
	w.says(t, body, `{"valid":true,"secret":"shop#1"}`+"\n", "verify", "--source", "shop", "--headers", file, "--json")
	for want, args := range map[string][]string{
		"exclude each other": {"verify", "--headers", file, "--request", file},
		"unknown sender":     {"verify", "--sender", "strpe", "--headers", file},
		"give one, or the":   {"verify", "--source", "ci"},
	} {
		if _, err := w.run(t, body, args...); !errors.Is(err, config.ErrSetting) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", args, err)
		}
	}
	must.Do(t, os.WriteFile(file, []byte("no header"), 0o600))
	if _, err := w.run(t, body, "verify", "--source", "shop", "--headers", file); err == nil || !strings.Contains(err.Error(), "is not a header") {
		t.Errorf("without headers: %v", err)
	}
}

// A sender that signs the URL is verified with that of the source and the query of the request.
func TestVerifyKnowsTheURLThatWasCalled(t *testing.T) {
	w := newFakeTools()
	w.url = "https://hooks.example/hooks/square"
	key, err := webhook.Square.Key("hush")
	if err != nil {
		t.Fatal(err)
	}
	r, err := key.SignRequestTo(w.url+"?x=1", webhook.Event{Payload: []byte("{}")}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	text := "POST /hooks/square?x=1 HTTP/1.1\nX-Square-Hmacsha256-Signature: " + r.Header["X-Square-Hmacsha256-Signature"][0] + "\n\n{}"
	w.says(t, text, "valid\n", "verify", "--sender", "square", "--secret", "hush", "--request", "-")
	if out, err := w.run(t, text, "verify", "--sender", "square", "--secret", "hush", "--request", "-", "--url", "http://hooks.example/hooks/square?x=1"); !errors.Is(err, terminal.ErrSilent) || !strings.Contains(out, "url: it was signed for the URL https://hooks.example/hooks/square?x=1") {
		t.Errorf("%q, %v", out, err)
	}
}
