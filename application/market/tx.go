package market

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// Deps are what every use case needs that changes something.
type Deps struct {
	Store    Store
	Clock    Clock
	IDs      IDs
	Notifier *Notifier      // nil: nobody waits
	Currency money.Currency // of all amounts
	Guard    *CurrencyGuard // one for all use cases of a process
	Handover meeting.Mode
	Limits   Limits
	// Settlement is that of new orders.
	Settlement order.Settlement
	// OrderLapses is how long an order may wait to be handed over; 0: for ever.
	OrderLapses time.Duration
	// OpenPurchases bounds the orders of a buyer that wait for their hand-over.
	OpenPurchases order.PurchaseLimit
	Marks         WriteMarks // nil: nobody reads from a standby by marks
	Purger        Purger     // nil: no cache is told of changes
	Hooks         *Hooks     // see rooms.Join
	// PublishEvents writes events for the webhook service.
	PublishEvents bool
}

// Tx is a transaction in progress: the stores, and what flush writes at its end.
type Tx struct {
	Stores
	IDs      IDs
	notifier *Notifier
	Now      time.Time
	Caller   User // see WithTxAs
	publish  bool // Deps.PublishEvents
	Currency money.Currency
	guard    *CurrencyGuard
	hooks    *Hooks
	Handover meeting.Mode
	Limits   Limits
	Marks    WriteMarks
	purger   Purger
	amounts  bool // the guard was asked, and allowed to write amounts
	Alone    bool // see MustDecide

	Changes *PublicChanges // nil without a purger

	notifications []notification.Notification
	mails         []unaddressedMail
	gathered      map[message.Kind]map[user.ID][]message.Item
	auditEntries  []audit.Entry
	events        []event.Event
}

// unaddressedMail is a mail to a user whose address is not loaded yet.
type unaddressedMail struct {
	kind   message.Kind
	to     user.ID
	params map[string]string
}

// WithTx runs do and flush in one transaction.
func (d Deps) WithTx(ctx context.Context, do func(context.Context, *Tx) error) error {
	var last *Tx
	err := d.Store.Atomically(ctx, func(ctx context.Context, s Stores) error {
		last = d.Begin(s, d.Clock.Now())
		if err := do(ctx, last); err != nil {
			return err
		}
		return last.Flush(ctx)
	})
	if err != nil {
		return err
	}
	if last.amounts {
		d.Guard.kept.Store(true)
	}
	return nil
}

// Begin returns a transaction that somebody else has begun and commits, see Flush.
func (d Deps) Begin(s Stores, now time.Time) *Tx {
	var changes *PublicChanges
	if d.Purger != nil {
		w := watchChanges(s)
		s, changes = w, w.changes
	}
	if d.Hooks == nil { // it would forget what other rooms do
		panic("market: no room has joined, see rooms.Join")
	}
	return &Tx{
		Stores: s, hooks: d.Hooks, IDs: d.IDs, notifier: d.Notifier, Now: now.UTC().Truncate(time.Microsecond),
		publish: d.PublishEvents, Currency: d.Currency, guard: d.Guard, Handover: d.Handover, Limits: d.Limits, Marks: d.Marks,
		purger: d.Purger, Changes: changes,
	}
}

// WithTxAs is WithTx on behalf of a caller. It locks the caller's account first: the
// account may have been deleted or suspended since the request was authenticated, and must
// not be during the transaction.
func (d Deps) WithTxAs(ctx context.Context, by user.Caller, do func(context.Context, *Tx) error) error {
	return d.WithTx(ctx, func(ctx context.Context, t *Tx) error {
		users, err := t.LockUsers(ctx, by.ID)
		if err != nil {
			return err
		}
		t.Caller = users[by.ID]
		if err := t.Caller.MayTrade(); err != nil {
			return err
		}
		return do(ctx, t)
	})
}

// MayTrade refuses users whose account no longer lets them trade, with the error that
// an expired token gets. Add every other reason to exclude a user from the market here:
// it then applies to their calls, and keeps their books from being relisted.
func (u User) MayTrade() error {
	if u.Email == "" || u.Unavailable {
		return user.ErrUnauthenticated
	}
	return nil
}

// Flush writes the notifications, audit entries, events and mails of the transaction.
func (t *Tx) Flush(ctx context.Context) error {
	t.signalAfterCommit()
	t.purgeAfterCommit()
	if err := t.addNotifications(ctx, t.notifications); err != nil {
		return err
	}
	mails, err := t.addressMails(ctx)
	if err != nil {
		return err
	}
	effects := SideEffects{AuditEntries: t.auditEntries, Events: t.events, Messages: mails}
	if err := t.RecordSideEffects(ctx, effects); err != nil {
		return err
	}
	return t.flushDigests(ctx)
}

// addNotifications stores notifications, and lets the rooms follow them.
func (t *Tx) addNotifications(ctx context.Context, all []notification.Notification) error {
	if len(all) == 0 {
		return nil
	}
	stored, err := t.AddNotifications(ctx, all)
	if err != nil {
		return err
	}
	return t.hooks.Notified.run(ctx, t, stored)
}

// signalAfterCommit wakes those who wait for the notifications of the transaction.
func (t *Tx) signalAfterCommit() {
	if t.notifier != nil && len(t.notifications) > 0 {
		t.OnCommit(func() { t.notifier.notify(t.notifications) })
	}
}

// purgeAfterCommit purges the copies of what the transaction changes.
func (t *Tx) purgeAfterCommit() {
	if t.Changes == nil {
		return
	}
	t.OnCommit(func() {
		if keys := t.Changes.List(); len(keys) > 0 {
			t.purger.Purge(keys...)
		}
	})
}

// addressMails returns the mails to those who may get them.
func (t *Tx) addressMails(ctx context.Context) ([]message.Message, error) {
	if len(t.mails) == 0 {
		return nil, nil
	}
	to := make([]user.ID, len(t.mails))
	for i, m := range t.mails {
		to[i] = m.to
	}
	users, err := t.FindUsers(ctx, to...)
	if err != nil {
		return nil, err
	}
	all := make([]message.Message, 0, len(t.mails))
	for _, m := range t.mails {
		if u := users[m.to]; u.mayGet(m.kind) {
			all = append(all, t.messageTo(u, m.kind, m.params))
		}
	}
	return all, nil
}

// mayGet reports whether a user gets mails of a kind. Those who may not sign in get no optional
// ones.
func (u User) mayGet(k message.Kind) bool { return u.Email != "" && (!u.Unavailable || !k.Optional()) }

func (t *Tx) messageTo(u User, kind message.Kind, params map[string]string) message.Message {
	return message.Message{ID: t.IDs.Next(), Kind: kind, To: u.Email, Lang: u.Lang, Params: params, CreatedAt: t.Now}
}

// Announce adds a notification.
func (t *Tx) Announce(n notification.Notification) {
	t.notifications = append(t.notifications, n)
}

// Notify sends a user a notification about a book.
func (t *Tx) Notify(kind notification.Kind, to user.ID, b book.Book) {
	t.notifications = append(t.notifications, notification.About(kind, to, b.ID, b.Name, t.Now))
}

// Mail sends a user a mail.
func (t *Tx) Mail(kind message.Kind, to user.ID, params map[string]string) {
	t.mails = append(t.mails, unaddressedMail{kind, to, t.withCurrency(params)})
}

// withCurrency adds the currency to params with amounts.
func (t *Tx) withCurrency(params map[string]string) map[string]string {
	for _, name := range message.AmountParams() {
		if params[name] != "" {
			params[message.ParamCurrency] = t.Currency.Code()
		}
	}
	return params
}

// PublishEvent adds an event, unless there is no webhook service.
func (t *Tx) PublishEvent(e event.Event) {
	if t.publish {
		t.events = append(t.events, e.Stamped(event.ID(t.IDs.Next()), t.Now))
	}
}

// Audit records what an admin or owner did.
func (t *Tx) Audit(by user.Caller, action, target, detail string) {
	t.auditEntries = append(t.auditEntries, audit.Entry{
		ID: t.IDs.Next(), At: t.Now, Actor: by.ID, Action: action, Target: target, IP: by.From.IP, Detail: t.explain(detail),
	})
}

// Enqueue adds a job that continues this work in another transaction.
func (t *Tx) Enqueue(ctx context.Context, kind job.Kind, subject int64, key string, after int64) error {
	return t.EnqueueAt(ctx, t.Now, kind, subject, key, after)
}

// EnqueueAt adds a job that is due at a time.
func (t *Tx) EnqueueAt(ctx context.Context, at time.Time, kind job.Kind, subject int64, key string, after int64) error {
	return t.AddJob(ctx, job.Job{ID: t.IDs.Next(), Kind: kind, Subject: subject, Args: JobArgs{key, after}.String(), DueAt: at})
}

// Limits bound what one person may list in a day.
type Limits struct {
	Posts       int // books posted or relisted, without those of imports; 0: no limit. None for a campus store
	ImportLines int // books of files; 0: as many as a campus store
}

// UseQuota counts n uses of a quota by a user. If they are too many, the error is
// limit.ErrQuota; return it, so that the transaction changes nothing.
func (t *Tx) UseQuota(ctx context.Context, id user.ID, q limit.Quota, n int) error {
	return t.ChangeUse(ctx, id, q.Name, func(used limit.Use) (limit.Use, error) { return q.Take(used, n, t.Now) })
}
