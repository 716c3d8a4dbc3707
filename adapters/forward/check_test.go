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

	"github.com/octavo-books/octavo/adapters/outbound"
	"github.com/octavo-books/octavo/test/poll"
)

func check(t *testing.T, url string, private bool) error {
	t.Helper()
	c := New("Octavo-Webhooks/test")
	t.Cleanup(c.Close)
	ctx, cancel := context.WithTimeout(t.Context(), poll.Limit)
	defer cancel()
	return c.CheckTarget(ctx, url, private)
}

func TestCheckingATargetSendsNothing(t *testing.T) {
	server := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the target got a request") })
	if err := check(t, server.URL+"/deploy", false); err != nil {
		t.Error(err)
	}
	server.Close() // waits for running requests
	if err := check(t, server.URL+"/deploy", false); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("a target that is down: %v", err)
	}
}

func TestCheckingATargetIsAsStrictAsSending(t *testing.T) {
	server := serve(t, func(http.ResponseWriter, *http.Request) {})
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	resolveAllToThisMachine(t)
	if err := check(t, "http://inside.example:"+port, false); !errors.Is(err, outbound.ErrForbidden) {
		t.Errorf("a name that resolves inside: %v", err)
	}
	if err := check(t, "http://inside.example:"+port, true); err != nil {
		t.Errorf("and with private: %v", err)
	}
}

func TestCheckingATargetVerifiesItsCertificate(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // it would log the aborted handshake
	server.StartTLS()
	t.Cleanup(server.Close)
	if err := check(t, server.URL, false); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("an untrusted certificate: %v", err)
	}
	plain := serve(t, func(http.ResponseWriter, *http.Request) {})
	if err := check(t, strings.Replace(plain.URL, "http:", "https:", 1), false); err == nil || !strings.Contains(err.Error(), "tls") {
		t.Errorf("a target without TLS: %v", err)
	}
}
