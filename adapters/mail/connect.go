package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/wneessen/go-mail/smtp"
)

// connection is an open connection to the mail server.
type connection struct {
	*smtp.Client
	conn net.Conn
	used time.Time
}

// quitTimeout bounds how long closing a connection waits for the server's answer to QUIT.
const quitTimeout = 300 * time.Millisecond

// quit sends QUIT and closes the connection, whatever the server answers.
func (c *connection) quit() {
	_ = c.UpdateDeadline(quitTimeout)
	_ = c.Quit()
	_ = c.conn.Close()
}

// connect dials, encrypts and authenticates, all within the timeout.
func (s *Sender) connect(ctx context.Context) (*connection, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	conn, err := s.dial(ctx)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	client, err := s.handshake(conn)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return &connection{Client: client, conn: conn, used: time.Now()}, nil
}

func (s *Sender) dial(ctx context.Context) (net.Conn, error) {
	dialer := &net.Dialer{}
	if s.config.TLS == TLSImplicit {
		secure := tls.Dialer{NetDialer: dialer, Config: s.tls}
		return secure.DialContext(ctx, "tcp", s.config.address())
	}
	return dialer.DialContext(ctx, "tcp", s.config.address())
}

func (s *Sender) handshake(conn net.Conn) (*smtp.Client, error) {
	if err := conn.SetDeadline(time.Now().Add(s.config.Timeout)); err != nil {
		return nil, err
	}
	client, err := smtp.NewClient(conn, s.config.Host)
	if err != nil {
		return nil, err
	}
	if err := client.Hello(helloName()); err != nil {
		return nil, err
	}
	if err := s.startTLS(client); err != nil {
		return nil, err
	}
	if s.config.Username == "" {
		return client, nil
	}
	auth, err := s.mechanism(client)
	if err != nil {
		return nil, err
	}
	if err := client.Auth(auth); err != nil {
		return nil, fmt.Errorf("the mail server refused the user name or password: %w", err)
	}
	return client, nil
}

func (s *Sender) startTLS(client *smtp.Client) error {
	if s.config.TLS == TLSOff || s.config.TLS == TLSImplicit {
		return nil
	}
	if offered, _ := client.Extension("STARTTLS"); !offered {
		if s.config.TLS == TLSRequired {
			return errors.New("the mail server does not offer STARTTLS")
		}
		return nil
	}
	return client.StartTLS(s.tls)
}

// mechanism returns the strongest mechanism that both sides support.
func (s *Sender) mechanism(client *smtp.Client) (smtp.Auth, error) {
	_, offered := client.Extension("AUTH")
	user, password := s.config.Username, s.config.Password
	inTheClear := isLoopback(s.config.Host)
	for _, m := range []struct {
		name string
		auth smtp.Auth
	}{
		{"SCRAM-SHA-256", smtp.ScramSHA256Auth(user, password)},
		{"PLAIN", smtp.PlainAuth("", user, password, s.config.Host, inTheClear)},
		{"LOGIN", smtp.LoginAuth(user, password, s.config.Host, inTheClear)},
	} {
		for _, name := range strings.Fields(offered) {
			if strings.EqualFold(name, m.name) {
				return m.auth, nil
			}
		}
	}
	return nil, fmt.Errorf("the mail server offers no supported authentication mechanism: %q", offered)
}

func helloName() string {
	if name, err := os.Hostname(); err == nil && name != "" {
		return name
	}
	return "localhost"
}
