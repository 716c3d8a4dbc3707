package market

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// Kit is what every activity that changes something needs.
type Kit struct {
	Store Store
	Clock Clock
	IDs   IDs
	Bell  *Bell // rings for those who were told something
}

// act is one step in progress: the stores, and what is to be told at its end.
type act struct {
	Stores
	ids    IDs
	now    time.Time
	caller Person // see stepAs

	notices []notification.Notification
	letters []letter
	entries []audit.Entry
	chores  bool // some work was left for later
}

// letter is a mail before its address is known.
type letter struct {
	kind   message.Kind
	to     user.ID
	params map[string]string
}

// step runs do atomically, stores what it told in the same step and rings the
// bell once all is kept.
func (k Kit) step(ctx context.Context, do func(context.Context, *act) error) error {
	var last *act
	err := k.Store.Atomically(ctx, func(ctx context.Context, s Stores) error {
		last = &act{Stores: s, ids: k.IDs, now: k.Clock.Now().UTC().Truncate(time.Microsecond)}
		if err := do(ctx, last); err != nil {
			return err
		}
		return last.tell(ctx)
	})
	if err != nil {
		return err
	}
	k.Bell.ring(last.notices, last.chores)
	return nil
}

// stepAs is a step that somebody asked for. The account is read and locked before
// anything else: it may have been deleted since the caller was let in, or be deleted
// while the step runs.
func (k Kit) stepAs(ctx context.Context, by user.Caller, do func(context.Context, *act) error) error {
	return k.step(ctx, func(ctx context.Context, a *act) error {
		people, err := a.People.FindForShare(ctx, by.ID)
		if err != nil {
			return err
		}
		a.caller = people[by.ID]
		if err := a.caller.mayTrade(); err != nil {
			return err
		}
		return do(ctx, a)
	})
}

// mayTrade refuses those whose account no longer lets them trade, as the edges refuse
// a token that has died. Every reason to shut somebody out of the market belongs here:
// it stops what they ask for, and their books do not go back on sale.
func (p Person) mayTrade() error {
	if p.Email == "" {
		return user.ErrUnauthenticated
	}
	return nil
}

// tell stores what was gathered.
func (a *act) tell(ctx context.Context) error {
	if len(a.notices) > 0 {
		if err := a.Told.Notify(ctx, a.notices); err != nil {
			return err
		}
	}
	if len(a.entries) > 0 {
		if err := a.Told.Audit(ctx, a.entries); err != nil {
			return err
		}
	}
	return a.mail(ctx)
}

func (a *act) mail(ctx context.Context) error {
	if len(a.letters) == 0 {
		return nil
	}
	to := make([]user.ID, len(a.letters))
	for i, l := range a.letters {
		to[i] = l.to
	}
	people, err := a.People.Find(ctx, to...)
	if err != nil {
		return err
	}
	all := make([]message.Message, 0, len(a.letters))
	for _, l := range a.letters {
		if p := people[l.to]; p.Email != "" {
			all = append(all, message.Message{
				ID: a.ids.Next(), Kind: l.kind, To: p.Email, Lang: p.Lang, Params: l.params, CreatedAt: a.now,
			})
		}
	}
	return a.Told.Mail(ctx, all)
}

// notify tells somebody something about a book inside the market.
func (a *act) notify(kind notification.Kind, to user.ID, b book.Book) {
	a.notices = append(a.notices, notification.About(kind, to, b.ID, b.Name, a.now))
}

// write tells somebody something by mail.
func (a *act) write(kind message.Kind, to user.ID, params map[string]string) {
	a.letters = append(a.letters, letter{kind, to, params})
}

// account records an act of an admin or owner.
func (a *act) account(by user.Caller, action, target, detail string) {
	a.entries = append(a.entries, audit.Entry{
		ID: a.ids.Next(), At: a.now, Actor: by.ID, Action: action, Target: target, IP: by.From.IP, Detail: detail,
	})
}

// later leaves a chore for another step.
func (a *act) later(ctx context.Context, kind ChoreKind, subject int64, key string, after int64) error {
	a.chores = true
	return a.Chores.Add(ctx, Chore{ID: a.ids.Next(), Kind: kind, Subject: subject, Key: key, After: after})
}
