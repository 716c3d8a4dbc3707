package mailer

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/octavo-books/octavo/domain/message"
)

// Mailer is the Publisher that composes messages as mails and sends them.
type Mailer struct {
	sender    Sender
	clock     Clock
	templates *Templates
	pictures  FindPictures // nil: none
	log       *slog.Logger
}

// NewMailer makes a mailer that sends its mails through s.
func NewMailer(s Sender, clock Clock, t *Templates) *Mailer {
	return &Mailer{sender: s, clock: clock, templates: t}
}

// PublishMessages sends messages as mails.
func (m *Mailer) PublishMessages(ctx context.Context, messages []message.Message) []error {
	errs := make([]error, len(messages))
	mails := make([]Mail, 0, len(messages))
	positions := make([]int, 0, len(messages)) // of each mail's message in messages
	pictures := m.findPictures(ctx, messages)
	for i, msg := range messages {
		of, _ := pictured(msg)
		mail, err := m.compose(msg, newPicture(msg, pictures[of]))
		if errs[i] = err; err == nil {
			mails, positions = append(mails, mail), append(positions, i)
		}
	}
	if len(mails) == 0 {
		return errs
	}
	for i, err := range m.sender.SendMails(ctx, mails) {
		errs[positions[i]] = err
	}
	return errs
}

func (m *Mailer) compose(msg message.Message, p Picture) (Mail, error) {
	c, err := m.templates.compose(msg)
	if err != nil {
		return Mail{}, err
	}
	c.show(p, msg)
	html, err := m.templates.html(c)
	if err != nil {
		return Mail{}, fmt.Errorf("%w: %w", ErrPermanent, err)
	}
	return Mail{Message: msg, Subject: c.Subject, Text: c.text(), HTML: html, Picture: p.in(html), SentAt: m.clock.Now()}, nil
}

// ChainSenders returns a Sender that sends through second what first has taken. First
// must accept repeats, because a mail that second refuses is sent through both again.
func ChainSenders(first, second Sender) Sender { return senderChain{first, second} }

type senderChain struct{ first, second Sender }

func (c senderChain) SendMails(ctx context.Context, mails []Mail) []error {
	errs := c.first.SendMails(ctx, mails)
	taken := make([]Mail, 0, len(mails))
	positions := make([]int, 0, len(mails))
	for i, err := range errs {
		if err == nil {
			taken, positions = append(taken, mails[i]), append(positions, i)
		}
	}
	if len(taken) == 0 {
		return errs
	}
	for i, err := range c.second.SendMails(ctx, taken) {
		errs[positions[i]] = err
	}
	return errs
}
