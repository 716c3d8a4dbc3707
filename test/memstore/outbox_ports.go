package memstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// Outbox is the outbox of a Store.
type Outbox struct{ store *Store }

// NewOutbox implements the mailer's ports on s.
func NewOutbox(s *Store) *Outbox { return &Outbox{s} }

// AddMessages adds messages in a transaction of their own.
func (o *Outbox) AddMessages(ctx context.Context, messages ...message.Message) error {
	return o.store.atomically(ctx, func() error {
		o.store.addMessages(messages...)
		return nil
	})
}

// EraseRecipients erases people in a transaction of its own.
func (o *Outbox) EraseRecipients(ctx context.Context, emails ...user.Email) error {
	return o.store.atomically(ctx, func() error {
		o.store.eraseRecipients(emails...)
		return nil
	})
}

// WaitForMessages implements mailer.Outbox.
func (o *Outbox) WaitForMessages(ctx context.Context, next time.Time) {
	o.store.wakeups.Wait(ctx, messagesTopic, next)
}

// WakeWaiting implements mailer.Outbox.
func (o *Outbox) WakeWaiting() { o.store.wakeups.Wake(messagesTopic) }

// ClaimMessages leases due messages.
func (o *Outbox) ClaimMessages(ctx context.Context, now, until time.Time, n int) (claimed []mailer.ClaimedMessage, next time.Time, err error) {
	err = o.store.atomically(ctx, func() error {
		next = o.store.tables.outbox.nextDue()
		for _, e := range o.store.tables.outbox.due(now) {
			if len(claimed) == n {
				break
			}
			e.Attempt++
			e.DueAt, e.Reason = until, ""
			o.store.tables.outbox.entries[e.ID] = e
			claimed = append(claimed, mailer.ClaimedMessage{Message: e.Message, Attempt: e.Attempt})
		}
		return nil
	})
	return claimed, next, err
}

// SettleMessages records results.
func (o *Outbox) SettleMessages(ctx context.Context, now time.Time, results []mailer.Result) error {
	return o.store.atomically(ctx, func() error {
		for _, result := range results {
			e, ok := o.store.tables.outbox.entries[result.Message.ID]
			if ok && e.Outcome == mailer.Retry {
				o.store.tables.outbox.entries[e.ID] = settled(e, result, now)
				if result.Outcome == mailer.Retry && result.Reason != "" {
					o.store.wakeups.Notify(messagesTopic)
				}
			}
		}
		return nil
	})
}

func settled(e outboxEntry, result mailer.Result, now time.Time) outboxEntry {
	if result.Outcome == mailer.Retry {
		if e.Attempt == result.Message.Attempt {
			e.DueAt, e.Attempt, e.Reason = result.RetryAt, result.Attempt, result.Reason
		}
		return e
	}
	e.Outcome, e.SettledAt, e.Reason = result.Outcome, now, result.Reason
	e.Code, e.Link = "", ""
	return e
}

// DeleteSettledMessages deletes old messages.
func (o *Outbox) DeleteSettledMessages(ctx context.Context, sent, dead time.Time, n int) (int, error) {
	deleted := 0
	err := o.store.atomically(ctx, func() error {
		for _, e := range o.store.tables.outbox.byID() {
			limit := sent
			if e.Outcome == mailer.Dead {
				limit = dead
			}
			if e.Outcome != mailer.Retry && e.SettledAt.Before(limit) && deleted < n {
				delete(o.store.tables.outbox.entries, e.ID)
				deleted++
			}
		}
		return nil
	})
	return deleted, err
}

// ReadStats counts the messages.
func (o *Outbox) ReadStats(ctx context.Context) (mailer.OutboxStats, error) {
	var c mailer.OutboxStats
	err := o.store.read(ctx, func() error {
		for _, e := range o.store.tables.outbox.byID() {
			switch e.Outcome {
			case mailer.Dead:
				c.Dead++
			case mailer.Retry:
				c.Waiting++
				if c.Oldest.IsZero() || e.CreatedAt.Before(c.Oldest) {
					c.Oldest = e.CreatedAt
				}
			}
		}
		return nil
	})
	return c, err
}

// AddOptOut unsubscribes an address.
func (o *Outbox) AddOptOut(ctx context.Context, email user.Email, now time.Time) error {
	return o.store.atomically(ctx, func() error {
		o.store.tables.outbox.optouts[email] = now
		return nil
	})
}

// FindOptOuts returns which of the addresses have unsubscribed.
func (o *Outbox) FindOptOuts(ctx context.Context, emails []user.Email) (map[user.Email]bool, error) {
	optedOut := map[user.Email]bool{}
	err := o.store.read(ctx, func() error {
		for _, email := range emails {
			if _, ok := o.store.tables.outbox.optouts[email]; ok {
				optedOut[email] = true
			}
		}
		return nil
	})
	return optedOut, err
}

// SendMails stores mails, each once.
func (o *Outbox) SendMails(ctx context.Context, mails []mailer.Mail) []error {
	errs := make([]error, len(mails))
	err := o.store.atomically(ctx, func() error {
		for _, m := range mails {
			if _, stored := o.store.tables.outbox.mailbox[m.ID]; !stored {
				o.store.tables.outbox.mailbox[m.ID] = m
			}
		}
		return nil
	})
	for i := range errs {
		errs[i] = err
	}
	return errs
}

// ListMails returns the newest mails, newest first.
func (o *Outbox) ListMails(ctx context.Context, to user.Email, n int) ([]mailer.Mail, error) {
	var mails []mailer.Mail
	err := o.store.read(ctx, func() error {
		for _, m := range o.store.tables.outbox.mailbox {
			if to == "" || m.To == to {
				mails = append(mails, m)
			}
		}
		return nil
	})
	slices.SortFunc(mails, func(a, b mailer.Mail) int { return cmp.Compare(b.ID, a.ID) })
	return mails[:min(n, len(mails))], err
}
