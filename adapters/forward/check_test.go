package forward

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func check(t *testing.T, url string, private bool) error {
	t.Helper()
	c := New("Octavo-Webhooks/test")
	t.Cleanup(c.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	return c.Check(ctx, url, private)
}

func TestCheckingATargetSendsNothing(t *testing.T) {
	server := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("it was asked for something") })
	if err := check(t, server.URL+"/deploy", false); err != nil {
		t.Error(err)
	}
	server.Close() // waits for what was asked
	if err := check(t, server.URL+"/deploy", false); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("one that is down: %v", err)
	}
}

func TestCheckingATargetIsAsStrictAsSending(t *testing.T) {
	server := serve(t, func(http.ResponseWriter, *http.Request) {})
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	resolveAllToThisMachine(t)
	if err := check(t, "http://inside.example:"+port, false); !errors.Is(err, ErrForbidden) {
		t.Errorf("a name that resolves inside: %v", err)
	}
	if err := check(t, "http://inside.example:"+port, true); err != nil {
		t.Errorf("and with private: %v", err)
	}
}

func TestCheckingATargetLooksAtItsCertificate(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // of the handshake that we break off
	server.StartTLS()
	t.Cleanup(server.Close)
	if err := check(t, server.URL, false); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("one that nobody vouches for: %v", err)
	}
	plain := serve(t, func(http.ResponseWriter, *http.Request) {})
	if err := check(t, strings.Replace(plain.URL, "http:", "https:", 1), false); err == nil || !strings.Contains(err.Error(), "tls") {
		t.Errorf("one without TLS: %v", err)
	}
}
