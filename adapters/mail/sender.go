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

// idleFor is how long a connection may rest: servers hang up after a minute or more.
const idleFor = 20 * time.Second

// Sender sends mails over SMTP. It is safe for many goroutines; each has a
// connection of its own while it sends.
type Sender struct {
	config Config
	tls    *tls.Config
	client *gomail.Client
	idle   chan *line
}

// New makes a sender; it connects when there is something to send.
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
		idle:   make(chan *line, config.Idle),
	}, nil
}

// Check connects and signs in, and says why that does not work.
func (s *Sender) Check(ctx context.Context) error {
	l, err := s.connect(ctx)
	if err != nil {
		return fmt.Errorf("mail server %s: %w", s.config.address(), err)
	}
	l.hangUp()
	return nil
}

// Close hangs up idle connections.
func (s *Sender) Close() {
	var all sync.WaitGroup
	defer all.Wait()
	for {
		select {
		case l := <-s.idle:
			all.Go(l.hangUp)
		default:
			return
		}
	}
}

// Send sends mails one after another over one connection. What a server says
// for good of a recipient or a text is mailer.ErrPermanent; that there is no
// server, or that it does not take us, mailer.ErrUnreachable.
func (s *Sender) SendMails(ctx context.Context, mails []mailer.Mail) []error {
	errs := make([]error, len(mails))
	l, err := s.take(ctx)
	for i := range mails {
		if l == nil && err == nil {
			l, err = s.connect(ctx)
		}
		if err != nil {
			errs[i] = fmt.Errorf("%w: mail server %s: %w", mailer.ErrUnreachable, s.config.address(), err)
			continue
		}
		if errs[i] = s.sendOne(ctx, l, mails[i]); errs[i] != nil && !s.stillGood(ctx, l) {
			l.hangUp()
			l = nil
		}
	}
	if l != nil {
		s.give(l)
	}
	return errs
}

// take finds an idle connection that still answers, or opens one.
func (s *Sender) take(ctx context.Context) (*line, error) {
	for {
		select {
		case l := <-s.idle:
			if time.Since(l.used) < idleFor && s.stillGood(ctx, l) {
				return l, nil
			}
			l.hangUp()
		default:
			return s.connect(ctx)
		}
	}
}

func (s *Sender) give(l *line) {
	l.used = time.Now()
	select {
	case s.idle <- l:
	default:
		l.hangUp()
	}
}

// stillGood asks for a sign of life, and forgets a mail that was begun.
func (s *Sender) stillGood(ctx context.Context, l *line) bool {
	stop := context.AfterFunc(ctx, func() { _ = l.conn.Close() })
	defer stop()
	return l.UpdateDeadline(s.config.Timeout) == nil && l.Reset() == nil
}

func (s *Sender) sendOne(ctx context.Context, l *line, m mailer.Mail) error {
	msg, err := s.write(m)
	if err != nil {
		return fmt.Errorf("%w: %w", mailer.ErrPermanent, err)
	}
	if err := l.UpdateDeadline(s.config.Timeout); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = l.conn.Close() })
	defer stop()
	err = s.client.SendWithSMTPClient(l.Client, msg)
	if err == nil || msg.IsDelivered() {
		return nil
	}
	return judge(err)
}

// judge tells whose fault it is. A server that refuses our sender or policy
// (5.7.x) refuses every mail: that can be put right, and is tried again.
func judge(err error) error {
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
