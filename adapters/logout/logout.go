// Package logout sends the logout tokens of OpenID Connect Back-Channel Logout to applications.
package logout

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/outbound"
)

const (
	timeout = 5 * time.Second
	maxBody = 4 << 10 // of an answer, in bytes
)

// Sender implements provider.LogoutSender.
type Sender struct{ http *http.Client }

// New returns a Sender with a User-Agent. Package outbound checks the addresses of applications;
// development allows http at loopback addresses.
func New(agent string, development bool) *Sender {
	return &Sender{outbound.Web{Agent: agent, Development: development, Timeout: timeout, MaxBody: maxBody}.Client()}
}

// Close closes idle connections.
func (s *Sender) Close() { s.http.CloseIdleConnections() }

// SendLogout implements provider.LogoutSender.
func (s *Sender) SendLogout(ctx context.Context, uri, token string) error {
	form := url.Values{"logout_token": {token}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, uri, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := s.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body) // so that the connection can be used again
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("%s answers %s", uri, resp.Status)
	}
	return nil
}
