package acme

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/must"
)

func TestEverybodyAtThePlainPortIsSentToTheSite(t *testing.T) {
	h := New(Config{Domain: "books.example.edu", Folder: t.TempDir()}, slog.New(slog.DiscardHandler)).Plain("https://books.example.edu")
	for target, want := range map[string]string{
		"http://books.example.edu/book?id=1":     "https://books.example.edu/book?id=1",
		"http://books.example.edu:8080//evil.eu": "https://books.example.edu//evil.eu",
		"http://192.0.2.1/":                      "https://books.example.edu/",
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
		if w.Code != http.StatusPermanentRedirect || w.Header().Get("Location") != want {
			t.Errorf("%s: %d %s, want %s", target, w.Code, w.Header().Get("Location"), want)
		}
	}
}

func TestVisitorsDoNotMakeTheProgramAskForACertificate(t *testing.T) {
	c := New(Config{Domain: "books.example.edu", Directory: "http://127.0.0.1:1", Folder: t.TempDir()}, slog.New(slog.DiscardHandler))
	for name, want := range map[string]error{"books.example.edu": errNoneYet, "www.example.edu": errOtherName, "": errOtherName} {
		if _, err := c.TLS().GetCertificate(&tls.ClientHelloInfo{ServerName: name}); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", name, err, want)
		}
	}
}

type answering string

func (a answering) RoundTrip(*http.Request) (*http.Response, error) {
	header := http.Header{"Content-Type": {"application/problem+json"}}
	return &http.Response{Header: header, Body: io.NopCloser(strings.NewReader(string(a)))}, nil
}

func TestTheLogSaysWhyTheAuthorityRefuses(t *testing.T) {
	for body, want := range map[string]string{
		`{"type":"urn:ietf:params:acme:error:rateLimited","detail":"too many certificates"}`:        "too many certificates",
		`{"status":"invalid","challenges":[{"error":{"type":"x:dns","detail":"no such name"}},{}]}`: "no such name",
		`{"type":"urn:ietf:params:acme:error:badNonce","detail":"old"}`:                             "",
		`{"status":"valid"}`: "",
		`not JSON`:           "",
	} {
		var log bytes.Buffer
		resp, err := refusals{answering(body), slog.New(slog.NewTextHandler(&log, nil))}.RoundTrip(httptest.NewRequest("POST", "https://ca.example", nil))
		must.Do(t, err)
		if got := string(must.Get(io.ReadAll(resp.Body))(t)); got != body {
			t.Errorf("the body %q became %q", body, got)
		}
		if got := log.String(); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: logged %q, want %q", body, got, want)
		}
	}
}
