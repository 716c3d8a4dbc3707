package pushing

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/push"
)

// Sender pushes notifications.
type Sender struct {
	deps   unit
	reader Reader
	cfg    Config
}

func newSender(d unit, r Reader, c Config) *Sender { return &Sender{d, r, c} }

// Send does a job of the kind Job: it pushes one notification to one subscription, unless its user has read it
// meanwhile. What a push service does is no failure of the job: then a new job waits for the next attempt, so that no
// dead one ever needs an operator.
func (u *Sender) Send(ctx context.Context, j job.Job) error {
	args, err := market.ParseJobArgs(j.Args)
	if err != nil {
		return err
	}
	to, found, err := u.reader.FindRecipient(ctx, push.ID(j.Subject))
	if err != nil || !found {
		return err
	}
	n, wanted, err := u.find(ctx, to, notification.ID(args.After))
	if err != nil || !wanted {
		return err
	}
	ended, err := u.cfg.ended(ctx, to.Subscription)
	switch {
	case err != nil:
		return err
	case len(ended) > 0: // a browser without a session shows nothing of its former user
		return u.remove(ctx, to.Subscription)
	}
	now := u.deps.Clock.Now()
	if _, until, quiet := to.Quiet.Around(now, u.cfg.Zone); quiet {
		return u.postpone(ctx, until, to, n)
	}
	if to.Paused(now) {
		return u.postpone(ctx, to.RetryAt, to, n)
	}
	m, err := u.compose(ctx, to, n)
	if err != nil || m.Payload == nil {
		return err
	}
	return u.settle(ctx, to, n, u.cfg.Pusher.Push(ctx, to.Subscription, m))
}

// find finds a notification, unless there is nothing to push of it any more.
func (u *Sender) find(ctx context.Context, to Recipient, id notification.ID) (n notification.Notification, wanted bool, err error) {
	found, err := u.reader.ListNotificationsAfter(ctx, to.User, id-1, 1)
	if err != nil || len(found) == 0 || found[0].ID != id {
		return n, false, err
	}
	return found[0], to.wants(found[0], u.deps.Clock.Now()), nil
}

// wants reports whether a notification is to be pushed at a time.
func (r Recipient) wants(n notification.Notification, now time.Time) bool {
	return n.ReadAt.IsZero() && r.Kinds.Has(n.Kind) && now.Before(n.CreatedAt.Add(push.TTL))
}

// postpone adds a job for the next attempt, unless the notification is too old by then or nobody waits any more.
func (u *Sender) postpone(ctx context.Context, until time.Time, to Recipient, n notification.Notification) error {
	if !to.wants(n, until) || !to.Tried() {
		return nil
	}
	return u.deps.WithTx(ctx, func(ctx context.Context, t *tx) error {
		return t.EnqueueAt(ctx, until, Job, int64(to.ID), "", int64(n.ID))
	})
}

func (u *Sender) remove(ctx context.Context, s push.Subscription) error {
	return u.deps.WithTx(ctx, func(ctx context.Context, t *tx) error { return t.RemoveSubscriptions(ctx, s) })
}

// settle saves what became of a message.
func (u *Sender) settle(ctx context.Context, to Recipient, n notification.Notification, outcome error) error {
	var busy BusyError
	errors.As(outcome, &busy)
	switch {
	case errors.Is(outcome, ErrGone):
		return u.remove(ctx, to.Subscription)
	case errors.Is(outcome, ErrRefused):
		u.cfg.Log.WarnContext(ctx, "a push service refuses a message", "subscription", to.ID, "error", outcome)
		return nil
	case outcome == nil && to.Failures == 0:
		return nil
	case outcome == nil:
		return u.save(ctx, to.Succeed())
	case ctx.Err() != nil:
		return outcome
	}
	failed, lost := to.Fail(busy.After, u.deps.Clock.Now())
	log := u.cfg.Log.With("subscription", to.ID, "failures", failed.Failures, "error", outcome)
	log.WarnContext(ctx, "a push service does not take a message")
	if lost {
		return u.remove(ctx, to.Subscription)
	}
	if err := u.save(ctx, failed); err != nil {
		return err
	}
	to.Subscription = failed
	return u.postpone(ctx, failed.RetryAt, to, n)
}

func (u *Sender) save(ctx context.Context, s push.Subscription) error {
	return u.deps.WithTx(ctx, func(ctx context.Context, t *tx) error { return t.SaveAttempt(ctx, s) })
}

// payload is what the service worker static/sw.js shows.
type payload struct {
	Title  string `json:"title"`
	Body   string `json:"body"`
	URL    string `json:"url"`    // a path of this site
	Tag    string `json:"tag"`    // replaces what is shown with the same
	Unread int    `json:"unread"` // of the badge
}

// maxHeld bounds the notifications that are read to count those of a night.
const maxHeld = 100

// compose returns the message about a notification; without a payload if another one says it. Of those that waited for
// the end of the quiet hours, only the newest is pushed, and says how many there are.
func (u *Sender) compose(ctx context.Context, to Recipient, n notification.Notification) (m Message, err error) {
	p := payload{Title: u.cfg.Title, Body: u.cfg.Words.Sentence(to.Lang, n), URL: push.PathOf(n), Tag: to.TopicOf(n)}
	m = Message{Topic: p.Tag, Urgency: push.UrgencyOf(n), TTL: push.TTL}
	if p.Tag == "" {
		p.Tag = "notification " + n.ID.String()
	}
	held, err := u.held(ctx, to, n)
	switch {
	case err != nil:
		return m, err
	case len(held) > 0 && held[0].ID != n.ID:
		return m, nil
	case len(held) > 1:
		p.Body, p.URL, p.Tag, m.Topic = u.cfg.Words.Held(to.Lang, len(held)), "/notifications", "held", ""
	}
	if p.Unread, err = u.reader.CountUnread(ctx, to.User); err != nil {
		return m, err
	}
	m.Payload, err = json.Marshal(p)
	return m, err
}

// held lists the notifications that waited for the end of the same quiet hours, newest first.
func (u *Sender) held(ctx context.Context, to Recipient, n notification.Notification) ([]notification.Notification, error) {
	from, until, quiet := to.Quiet.Around(n.CreatedAt, u.cfg.Zone)
	if !quiet {
		return nil, nil
	}
	newest, err := u.reader.ListNotifications(ctx, to.User, 0, maxHeld)
	now := u.deps.Clock.Now()
	return slices.DeleteFunc(newest, func(other notification.Notification) bool {
		return !to.wants(other, now) || other.CreatedAt.Before(from) || !other.CreatedAt.Before(until)
	}), err
}
