package pushing

import (
	"context"
	"slices"

	"github.com/octavo-books/octavo/domain/push"
	"github.com/octavo-books/octavo/domain/user"
)

// Subscriptions are the browsers to which people let their notifications be pushed.
type Subscriptions struct {
	deps   unit
	reader Reader
	cfg    Config
}

func newSubscriptions(d unit, r Reader, c Config) *Subscriptions { return &Subscriptions{d, r, c} }

// Key returns the public key for which a browser subscribes.
func (u *Subscriptions) Key(by user.Caller) (string, error) {
	return u.cfg.Pusher.PublicKey(), by.MustBeStudent()
}

// Add subscribes a browser, until the caller's session ends. One that is subscribed already is changed, and one of another
// person becomes the caller's. If the caller has too many, the one that subscribed longest ago is removed.
func (u *Subscriptions) Add(ctx context.Context, by user.Caller, d push.Draft) (id push.ID, err error) {
	if err := by.MustBeStudent(); err != nil {
		return 0, err
	}
	s, err := d.Subscription(func(endpoint string) bool { return u.cfg.Pusher.CheckEndpoint(endpoint) == nil })
	if err != nil {
		return 0, err
	}
	s.ServerKey = u.cfg.Pusher.PublicKey()
	err = u.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		s.ID, s.User, s.Session, s.Token = push.ID(t.IDs.Next()), by.ID, by.Session, by.Token
		s.CreatedAt, s.RenewedAt = t.Now, t.Now
		id, err = t.SaveSubscription(ctx, s, push.MaxSubscriptions)
		return err
	})
	return id, err
}

// Remove ends the caller's subscription with an endpoint. It does nothing if there is none.
func (u *Subscriptions) Remove(ctx context.Context, by user.Caller, endpoint string) error {
	if err := by.MustBeStudent(); err != nil {
		return err
	}
	return u.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error { return t.RemoveEndpoint(ctx, by.ID, endpoint) })
}

// List lists the caller's subscriptions whose sessions are active.
func (u *Subscriptions) List(ctx context.Context, by user.Caller) ([]push.Subscription, error) {
	if err := by.MustBeStudent(); err != nil {
		return nil, err
	}
	all, err := u.reader.ListSubscriptions(ctx, by.ID)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	ended, err := u.cfg.ended(ctx, all...)
	return slices.DeleteFunc(all, func(s push.Subscription) bool {
		return slices.ContainsFunc(ended, func(e push.Subscription) bool { return e.ID == s.ID })
	}), err
}

// Quiet returns the caller's quiet hours.
func (u *Subscriptions) Quiet(ctx context.Context, by user.Caller) (push.Quiet, error) {
	if err := by.MustBeStudent(); err != nil {
		return push.Quiet{}, err
	}
	return u.reader.FindQuiet(ctx, by.ID)
}

// SetQuiet changes the caller's quiet hours.
func (u *Subscriptions) SetQuiet(ctx context.Context, by user.Caller, q push.Quiet) error {
	if err := by.MustBeStudent(); err != nil {
		return err
	}
	if err := q.Check(); err != nil {
		return err
	}
	return u.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error { return t.SaveQuiet(ctx, by.ID, q) })
}

// sweepPage is how many subscriptions Sweep reads at once.
const sweepPage = 500

// Sweep removes the subscriptions whose sessions have ended. Sender does the same before it sends something.
func (u *Subscriptions) Sweep(ctx context.Context) error {
	for after := push.ID(0); ; {
		page, err := u.reader.ListAllSubscriptions(ctx, after, sweepPage)
		if err != nil || len(page) == 0 {
			return err
		}
		ended, err := u.cfg.ended(ctx, page...)
		if err == nil && len(ended) > 0 {
			err = u.deps.WithTx(ctx, func(ctx context.Context, t *tx) error { return t.RemoveSubscriptions(ctx, ended...) })
		}
		if err != nil || len(page) < sweepPage {
			return err
		}
		after = page[len(page)-1].ID
	}
}

// ended returns those of the subscriptions whose sessions have ended.
func (c Config) ended(ctx context.Context, all ...push.Subscription) (ended []push.Subscription, err error) {
	callers := make([]user.Caller, len(all))
	for i, s := range all {
		callers[i] = user.Caller{ID: s.User, Session: s.Session, Token: s.Token}
	}
	sessions, err := c.Ended(ctx, callers)
	for _, s := range all {
		if slices.Contains(sessions, s.Session) {
			ended = append(ended, s)
		}
	}
	return ended, err
}
