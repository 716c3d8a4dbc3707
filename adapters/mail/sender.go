package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/octavo-books/octavo/application/mailer"
	gomail "github.com/wneessen/go-mail"
)

// maxIdle is less than the minute after which the first servers close idle connections.
const maxIdle = 20 * time.Second

// Sender sends mails over SMTP. It is safe for concurrent use; each call of SendMails has a
// connection of its own.
type Sender struct {
	config Config
	tls    *tls.Config
	client *gomail.Client
	idle   chan *connection
}

// New makes a sender. It connects when it sends the first mail.
func New(config Config) (*Sender, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	client, err := gomail.NewClient(config.Host, gomail.WithTimeout(config.Timeout), gomail.WithoutNoop())
	if err != nil {
		return nil, fmt.Errorf("SMTP: %w", err)
	}
	return &Sender{
		config: config,
		tls:    &tls.Config{ServerName: config.Host, MinVersion: tls.VersionTLS12},
		client: client,
		idle:   make(chan *connection, config.Idle),
	}, nil
}

// Check connects and authenticates, and returns why that fails, or nil.
func (s *Sender) Check(ctx context.Context) error {
	c, err := s.connect(ctx)
	if err != nil {
		return fmt.Errorf("mail server %s: %w", s.config.address(), err)
	}
	c.quit()
	return nil
}

// Close closes idle connections.
func (s *Sender) Close() {
	var all sync.WaitGroup
	defer all.Wait()
	for {
		select {
		case c := <-s.idle:
			all.Go(c.quit)
		default:
			return
		}
	}
}

// SendMails sends mails one after another over one connection. If the server permanently
// refuses a recipient or a text, the error is mailer.ErrPermanent. If no server answers or
// it refuses us, the error is mailer.ErrUnreachable.
func (s *Sender) SendMails(ctx context.Context, mails []mailer.Mail) []error {
	errs := make([]error, len(mails))
	c, err := s.take(ctx)
	for i := range mails {
		if c == nil && err == nil {
			c, err = s.connect(ctx)
		}
		if err != nil {
			errs[i] = fmt.Errorf("%w: mail server %s: %w", mailer.ErrUnreachable, s.config.address(), err)
			continue
		}
		if errs[i] = s.sendOne(ctx, c, mails[i]); errs[i] != nil && !s.stillAlive(ctx, c) {
			c.quit()
			c = nil
		}
	}
	if c != nil {
		s.give(c)
	}
	return errs
}

// take returns an idle connection that still answers, or a new one.
func (s *Sender) take(ctx context.Context) (*connection, error) {
	for {
		select {
		case c := <-s.idle:
			if time.Since(c.used) < maxIdle && s.stillAlive(ctx, c) {
				return c, nil
			}
			c.quit()
		default:
			return s.connect(ctx)
		}
	}
}

func (s *Sender) give(c *connection) {
	c.used = time.Now()
	select {
	case s.idle <- c:
	default:
		c.quit()
	}
}

// stillAlive resets the connection, which aborts an unfinished mail, and reports success.
func (s *Sender) stillAlive(ctx context.Context, c *connection) bool {
	stop := context.AfterFunc(ctx, func() { _ = c.conn.Close() })
	defer stop()
	return c.UpdateDeadline(s.config.Timeout) == nil && c.Reset() == nil
}

func (s *Sender) sendOne(ctx context.Context, c *connection, m mailer.Mail) error {
	msg, err := s.write(m)
	if err != nil {
		return fmt.Errorf("%w: %w", mailer.ErrPermanent, err)
	}
	if err := c.UpdateDeadline(s.config.Timeout); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = c.conn.Close() })
	defer stop()
	err = s.client.SendWithSMTPClient(c.Client, msg)
	if err == nil || msg.IsDelivered() {
		return nil
	}
	return classify(err)
}

// classify wraps a refusal with what it means for retries. A server that refuses our sender
// or applies a policy (5.7.x) refuses every mail until an operator corrects that, so such
// mails are retried.
func classify(err error) error {
	var e *gomail.SendError
	if !errors.As(err, &e) {
		return err
	}
	about := e.Reason == gomail.ErrSMTPRcptTo || e.Reason == gomail.ErrSMTPData || e.Reason == gomail.ErrSMTPDataClose
	policy := len(e.EnhancedStatusCode()) > 3 && e.EnhancedStatusCode()[:4] == "5.7."
	switch code := e.ErrorCode(); {
	case code == 421 || code >= 500 && e.Reason == gomail.ErrSMTPMailFrom:
		return fmt.Errorf("%w: %w", mailer.ErrUnreachable, err)
	case code >= 500 && about && !policy:
		return fmt.Errorf("%w: %w", mailer.ErrPermanent, err)
	}
	return err
}
