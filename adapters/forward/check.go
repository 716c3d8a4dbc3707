package forward

import (
	"context"
	"crypto/tls"
	"net"
	"net/url"

	"github.com/octavo-books/octavo/adapters/outbound"
)

// CheckTarget connects to a rule's target as ForwardDelivery does, with TLS for
// https, but sends nothing. The error says why deliveries would not reach it.
func (c *Client) CheckTarget(ctx context.Context, target string, private bool) error {
	u, err := url.Parse(target)
	if err != nil {
		return err
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	conn, err := outbound.Dialer{Private: private}.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if u.Scheme != "https" {
		return nil
	}
	return tls.Client(conn, &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12}).HandshakeContext(ctx)
}
