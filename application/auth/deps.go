package auth

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// AllowRequests counts the requests, or returns limit.ErrExceeded with the time to
// wait.
func (d *Deps) AllowRequests(ctx context.Context, requests ...limit.Request) error {
	wait, err := d.RateLimiter.AllowRequests(ctx, d.Now(), requests...)
	if err != nil {
		return err
	}
	if wait > 0 {
		return limit.ErrExceeded.After(wait)
	}
	return nil
}

// RequestFrom returns a limit.Request that counts each client separately.
func RequestFrom(what string, r limit.Rule, from user.ClientInfo) limit.Request {
	return limit.Request{Name: what + " from " + limit.ClientKey(from.IP), Rule: r}
}

// AllowMail counts a mail of this kind to an address and reports whether it may be
// sent. The limits also count addresses without an account, so that they do not reveal
// one.
func (d *Deps) AllowMail(ctx context.Context, kind string, to user.Email, rules []limit.Rule) (bool, error) {
	requests := make([]limit.Request, len(rules))
	for i, r := range rules {
		requests[i] = limit.Request{Name: kind + " to " + string(to) + " per " + r.Period.String(), Rule: r}
	}
	err := d.AllowRequests(ctx, requests...)
	if errors.Is(err, limit.ErrExceeded) {
		return false, nil
	}
	return err == nil, err
}

// VerifyPassword compares each form of the typed password, even after a match, so that the
// time does not tell which one matches. New hashes are made of the first form only, so a
// match with another form is outdated.
func (d *Deps) VerifyPassword(ctx context.Context, hash string, typed []user.Password) (right, outdated bool, err error) {
	for i, form := range typed {
		match, old, err := d.Hasher.VerifyPassword(ctx, hash, form)
		if err != nil {
			return false, false, err
		}
		if match && !right {
			right, outdated = true, old || i > 0
		}
	}
	return right, outdated, nil
}

// AuditEntry returns an audit entry with a user as its target. The zero Caller means
// that nobody was signed in.
func (d *Deps) AuditEntry(by user.Caller, action string, target user.ID, detail string) audit.Entry {
	return audit.Entry{
		ID: d.NextID(), At: d.Now(), Actor: by.ID, Action: action,
		Target: target.String(), IP: by.From.IP, Detail: detail,
	}
}

// SecurityNotice returns a mail that tells a user what happened and from which browser,
// system and address.
func (d *Deps) SecurityNotice(kind message.Kind, to user.User, from user.ClientInfo) message.Message {
	now, device := d.Now(), d.ParseUserAgent(from.UserAgent)
	return message.Message{
		ID: d.NextID(), Kind: kind, To: to.Email, Lang: to.Lang, CreatedAt: now,
		Params: map[string]string{
			message.ParamBrowser: device.Browser,
			message.ParamSystem:  device.OS,
			message.ParamIP:      from.IP,
			message.ParamAt:      now.Format(time.RFC3339),
		},
	}
}

// Optional converts user.ErrNotFound to false.
func Optional(u user.User, err error) (user.User, bool, error) {
	if errors.Is(err, user.ErrNotFound) {
		return user.User{}, false, nil
	}
	return u, err == nil, err
}

// ActiveSessions returns a user's active sessions, most recently used first.
func (d *Deps) ActiveSessions(ctx context.Context, u user.User) ([]session.Session, error) {
	all, err := d.Sessions.ListSessions(ctx, u.ID)
	if err != nil {
		return nil, err
	}
	now := d.Now()
	all = slices.DeleteFunc(all, func(s session.Session) bool { return !s.Active(u.Epoch, now) })
	slices.SortFunc(all, func(a, b session.Session) int {
		if c := b.LastUsedAt.Compare(a.LastUsedAt); c != 0 {
			return c
		}
		return int(max(-1, min(1, b.ID-a.ID)))
	})
	return all, nil
}

// SessionIDs returns the ids of all but one of the sessions.
func SessionIDs(all []session.Session, except user.SessionID) []user.SessionID {
	ids := make([]user.SessionID, 0, len(all))
	for _, s := range all {
		if s.ID != except {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// NewKnownClient returns the record of a client from which a user has proved their identity.
func (d *Deps) NewKnownClient(of user.ID, client string) *KnownClient {
	return &KnownClient{User: of, Key: client, Until: d.Now().Add(session.AbsoluteTimeout)}
}
