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

// allowRequests counts the requests, or returns limit.ErrExceeded with the time to
// wait.
func (d *deps) allowRequests(ctx context.Context, requests ...limit.Request) error {
	wait, err := d.RateLimiter.AllowRequests(ctx, d.Clock.Now(), requests...)
	if err != nil {
		return err
	}
	if wait > 0 {
		return limit.ErrExceeded.After(wait)
	}
	return nil
}

// requestFrom returns a limit.Request that counts each client separately.
func requestFrom(what string, r limit.Rule, from user.ClientInfo) limit.Request {
	return limit.Request{Name: what + " from " + limit.ClientKey(from.IP), Rule: r}
}

// allowMail counts a mail of this kind to an address and reports whether it may be
// sent. The limits also count addresses without an account, so that they do not reveal
// one.
func (d *deps) allowMail(ctx context.Context, kind string, to user.Email, rules []limit.Rule) (bool, error) {
	requests := make([]limit.Request, len(rules))
	for i, r := range rules {
		requests[i] = limit.Request{Name: kind + " to " + string(to) + " per " + r.Period.String(), Rule: r}
	}
	err := d.allowRequests(ctx, requests...)
	if errors.Is(err, limit.ErrExceeded) {
		return false, nil
	}
	return err == nil, err
}

// verifyPassword compares each form of the typed password, even after a match, so that the
// time does not tell which one matches. New hashes are made of the first form only, so a
// match with another form is outdated.
func (d *deps) verifyPassword(ctx context.Context, hash string, typed []user.Password) (right, outdated bool, err error) {
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

// auditEntry returns an audit entry with a user as its target. The zero Caller means
// that nobody was signed in.
func (d *deps) auditEntry(by user.Caller, action string, target user.ID, detail string) audit.Entry {
	return audit.Entry{
		ID: d.IDs.Next(), At: d.Clock.Now(), Actor: by.ID, Action: action,
		Target: target.String(), IP: by.From.IP, Detail: detail,
	}
}

// securityNotice returns a mail that tells a user what happened and from which browser,
// system and address.
func (d *deps) securityNotice(kind message.Kind, to user.User, from user.ClientInfo) message.Message {
	now, device := d.Clock.Now(), d.UserAgents.ParseUserAgent(from.UserAgent)
	return message.Message{
		ID: d.IDs.Next(), Kind: kind, To: to.Email, Lang: to.Lang, CreatedAt: now,
		Params: map[string]string{
			message.ParamBrowser: device.Browser,
			message.ParamSystem:  device.OS,
			message.ParamIP:      from.IP,
			message.ParamAt:      now.Format(time.RFC3339),
		},
	}
}

// findOptional converts user.ErrNotFound to false.
func findOptional(u user.User, err error) (user.User, bool, error) {
	if errors.Is(err, user.ErrNotFound) {
		return user.User{}, false, nil
	}
	return u, err == nil, err
}

// activeSessions returns a user's active sessions, most recently used first.
func (d *deps) activeSessions(ctx context.Context, u user.User) ([]session.Session, error) {
	all, err := d.Sessions.ListSessions(ctx, u.ID)
	if err != nil {
		return nil, err
	}
	now := d.Clock.Now()
	all = slices.DeleteFunc(all, func(s session.Session) bool { return !s.Active(u.Epoch, now) })
	slices.SortFunc(all, func(a, b session.Session) int {
		if c := b.LastUsedAt.Compare(a.LastUsedAt); c != 0 {
			return c
		}
		return int(max(-1, min(1, b.ID-a.ID)))
	})
	return all, nil
}

// revokeSupersededSessions revokes the sessions of an older epoch, or all sessions of a
// deleted user. They are refused already, so a failure is only logged.
func (d *deps) revokeSupersededSessions(ctx context.Context, of user.ID) {
	if err := d.tryRevokeSuperseded(ctx, of); err != nil {
		d.Log.WarnContext(ctx, "could not revoke superseded sessions", "user", of.String(), "error", err)
	}
}

func (d *deps) tryRevokeSuperseded(ctx context.Context, of user.ID) error {
	u, exists, err := findOptional(d.Users.FindUser(ctx, of))
	if err != nil {
		return err
	}
	all, err := d.Sessions.ListSessions(ctx, of)
	if err != nil {
		return err
	}
	dead := slices.DeleteFunc(all, func(s session.Session) bool { return exists && s.Epoch >= u.Epoch })
	_, err = d.Revoker.RevokeSessions(ctx, of, sessionIDs(dead, 0), d.Clock.Now(), SideEffects{})
	return err
}

// sessionIDs returns the ids of all but one of the sessions.
func sessionIDs(all []session.Session, except user.SessionID) []user.SessionID {
	ids := make([]user.SessionID, 0, len(all))
	for _, s := range all {
		if s.ID != except {
			ids = append(ids, s.ID)
		}
	}
	return ids
}
