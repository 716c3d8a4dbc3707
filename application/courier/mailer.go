package courier

import (
	"context"
	"fmt"

	"github.com/octavo-books/octavo/domain/message"
)

// Mailer is the Carrier that puts messages into words and sends them.
type Mailer struct {
	sender Sender
	clock  Clock
}

// NewMailer makes a mailer that hands its mails to s.
func NewMailer(s Sender, clock Clock) *Mailer { return &Mailer{s, clock} }

// Carry sends messages as mails.
func (m *Mailer) Carry(ctx context.Context, messages []message.Message) []error {
	errs := make([]error, len(messages))
	mails := make([]Mail, 0, len(messages))
	at := make([]int, 0, len(messages)) // where in messages each mail came from
	for i, msg := range messages {
		mail, err := m.write(msg)
		if errs[i] = err; err == nil {
			mails, at = append(mails, mail), append(at, i)
		}
	}
	if len(mails) == 0 {
		return errs
	}
	for i, err := range m.sender.Send(ctx, mails) {
		errs[at[i]] = err
	}
	return errs
}

func (m *Mailer) write(msg message.Message) (Mail, error) {
	l, err := compose(msg)
	if err != nil {
		return Mail{}, err
	}
	html, err := l.html()
	if err != nil {
		return Mail{}, fmt.Errorf("%w: %w", ErrHopeless, err)
	}
	return Mail{Message: msg, Subject: l.Subject, Text: l.text(), HTML: html, SentAt: m.clock.Now()}, nil
}

// Both is a Sender that gives to second what first has taken. First must bear
// to be given the same mail again, since second may fail.
func Both(first, second Sender) Sender { return both{first, second} }

type both struct{ first, second Sender }

func (b both) Send(ctx context.Context, mails []Mail) []error {
	errs := b.first.Send(ctx, mails)
	taken := make([]Mail, 0, len(mails))
	at := make([]int, 0, len(mails))
	for i, err := range errs {
		if err == nil {
			taken, at = append(taken, mails[i]), append(at, i)
		}
	}
	if len(taken) == 0 {
		return errs
	}
	for i, err := range b.second.Send(ctx, taken) {
		errs[at[i]] = err
	}
	return errs
}
