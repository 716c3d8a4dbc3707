package memstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/courier"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// Outbox is the outbox of a Store.
type Outbox struct{ store *Store }

// NewOutbox fills the courier's ports from s.
func NewOutbox(s *Store) *Outbox { return &Outbox{s} }

// Add puts messages into the outbox on their own.
func (o *Outbox) Add(ctx context.Context, messages ...message.Message) error {
	return o.store.atomically(ctx, func() error {
		o.store.addMessages(messages...)
		return nil
	})
}

// Forget erases people from it on their own.
func (o *Outbox) Forget(ctx context.Context, who ...user.Email) error {
	return o.store.atomically(ctx, func() error {
		o.store.forgetMails(who...)
		return nil
	})
}

// Added is rung when messages have been added.
func (o *Outbox) Added() <-chan struct{} { return o.store.tables.outbox.added }

// Claim leases due messages.
func (o *Outbox) Claim(ctx context.Context, now, until time.Time, n int) ([]courier.Claimed, error) {
	var claimed []courier.Claimed
	err := o.store.atomically(ctx, func() error {
		for _, l := range o.store.tables.outbox.due(now) {
			if len(claimed) == n {
				break
			}
			l.Try++
			l.Due, l.Reason = until, ""
			o.store.tables.outbox.letters[l.ID] = l
			claimed = append(claimed, courier.Claimed{Message: l.Message, Try: l.Try})
		}
		return nil
	})
	return claimed, err
}

// Settle notes outcomes.
func (o *Outbox) Settle(ctx context.Context, now time.Time, outcomes []courier.Outcome) error {
	return o.store.atomically(ctx, func() error {
		for _, out := range outcomes {
			l, ok := o.store.tables.outbox.letters[out.Claimed.ID]
			if ok && l.Verdict == courier.Wait {
				o.store.tables.outbox.letters[l.ID] = settled(l, out, now)
			}
		}
		return nil
	})
}

func settled(l letter, out courier.Outcome, now time.Time) letter {
	if out.Verdict == courier.Wait {
		if l.Try == out.Claimed.Try {
			l.Due, l.Try, l.Reason = out.Due, out.Try, out.Reason
		}
		return l
	}
	l.Verdict, l.Ended, l.Reason = out.Verdict, now, out.Reason
	l.Code, l.Link = "", ""
	return l
}

// Sweep drops what ended long ago.
func (o *Outbox) Sweep(ctx context.Context, sent, dead time.Time, n int) (int, error) {
	dropped := 0
	err := o.store.atomically(ctx, func() error {
		for _, l := range o.store.tables.outbox.byID() {
			limit := sent
			if l.Verdict == courier.Dead {
				limit = dead
			}
			if l.Verdict != courier.Wait && l.Ended.Before(limit) && dropped < n {
				delete(o.store.tables.outbox.letters, l.ID)
				dropped++
			}
		}
		return nil
	})
	return dropped, err
}

// Census counts.
func (o *Outbox) Census(ctx context.Context) (courier.Census, error) {
	var c courier.Census
	err := o.store.read(ctx, func() error {
		for _, l := range o.store.tables.outbox.byID() {
			switch l.Verdict {
			case courier.Dead:
				c.Dead++
			case courier.Wait:
				c.Waiting++
				if c.Oldest.IsZero() || l.CreatedAt.Before(c.Oldest) {
					c.Oldest = l.CreatedAt
				}
			}
		}
		return nil
	})
	return c, err
}

// Decline notes that somebody does without mails of optional kinds.
func (o *Outbox) Decline(ctx context.Context, who user.Email, now time.Time) error {
	return o.store.atomically(ctx, func() error {
		o.store.tables.outbox.optouts[who] = now
		return nil
	})
}

// Declined tells which of these people did.
func (o *Outbox) Declined(ctx context.Context, who []user.Email) (map[user.Email]bool, error) {
	declined := map[user.Email]bool{}
	err := o.store.read(ctx, func() error {
		for _, w := range who {
			if _, ok := o.store.tables.outbox.optouts[w]; ok {
				declined[w] = true
			}
		}
		return nil
	})
	return declined, err
}

// Send keeps mails, each once.
func (o *Outbox) Send(ctx context.Context, mails []courier.Mail) []error {
	errs := make([]error, len(mails))
	err := o.store.atomically(ctx, func() error {
		for _, m := range mails {
			if _, kept := o.store.tables.outbox.mailbox[m.ID]; !kept {
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

// Mails are those to one person, or all, newest first.
func (o *Outbox) Mails(ctx context.Context, to user.Email, n int) ([]courier.Mail, error) {
	var mails []courier.Mail
	err := o.store.read(ctx, func() error {
		for _, m := range o.store.tables.outbox.mailbox {
			if to == "" || m.To == to {
				mails = append(mails, m)
			}
		}
		return nil
	})
	slices.SortFunc(mails, func(a, b courier.Mail) int { return cmp.Compare(b.ID, a.ID) })
	return mails[:min(n, len(mails))], err
}
