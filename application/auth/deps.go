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

// allowRequests counts what is asked for, or refuses with limit.ErrExceeded.
func (k *deps) allowRequests(ctx context.Context, asks ...limit.Request) error {
	wait, err := k.Limits.AllowRequests(ctx, k.Clock.Now(), asks...)
	if err != nil {
		return err
	}
	if wait > 0 {
		return limit.ErrExceeded.After(wait)
	}
	return nil
}

// requestFrom asks on behalf of where a request comes from.
func requestFrom(what string, r limit.Rule, from user.ClientInfo) limit.Request {
	return limit.Request{Name: what + " from " + limit.ClientKey(from.IP), Rule: r}
}

// allowMail counts a mail of one sort to an address and reports whether it may be
// sent. The address need not have an account.
func (k *deps) allowMail(ctx context.Context, what string, to user.Email, rules []limit.Rule) (bool, error) {
	asks := make([]limit.Request, len(rules))
	for i, r := range rules {
		asks[i] = limit.Request{Name: what + " to " + string(to) + " per " + r.Period.String(), Rule: r}
	}
	err := k.allowRequests(ctx, asks...)
	if errors.Is(err, limit.ErrExceeded) {
		return false, nil
	}
	return err == nil, err
}

// verifyPassword compares each form of what was typed. Only the first is how passwords are
// hashed here; a hash of another one should be made anew, too.
func (k *deps) verifyPassword(ctx context.Context, hash string, typed []user.Password) (right, outdated bool, err error) {
	for i, form := range typed {
		right, outdated, err = k.Hasher.VerifyPassword(ctx, hash, form)
		if err != nil || right {
			return right, outdated || i > 0, err
		}
	}
	return false, false, nil
}

// auditEntry is an audit entry about a person; by may be nobody.
func (k *deps) auditEntry(by user.Caller, action string, target user.ID, detail string) audit.Entry {
	return audit.Entry{
		ID: k.IDs.Next(), At: k.Clock.Now(), Actor: by.ID, Action: action,
		Target: target.String(), IP: by.From.IP, Detail: detail,
	}
}

// securityNotice is a message without a secret, about something done from a place.
func (k *deps) securityNotice(kind message.Kind, to user.User, from user.ClientInfo) message.Message {
	now, device := k.Clock.Now(), k.UserAgents.ParseUserAgent(from.UserAgent)
	return message.Message{
		ID: k.IDs.Next(), Kind: kind, To: to.Email, Lang: to.Lang, CreatedAt: now,
		Params: map[string]string{
			message.ParamBrowser: device.Browser,
			message.ParamSystem:  device.OS,
			message.ParamIP:      from.IP,
			message.ParamAt:      now.Format(time.RFC3339),
		},
	}
}

// findOptional turns a lookup's "not found" into false.
func findOptional(u user.User, err error) (user.User, bool, error) {
	if errors.Is(err, user.ErrNotFound) {
		return user.User{}, false, nil
	}
	return u, err == nil, err
}

// activeSessions are the sessions of a user that stand, most recently used first.
func (k *deps) activeSessions(ctx context.Context, u user.User) ([]session.Session, error) {
	all, err := k.Sessions.ListSessions(ctx, u.ID)
	if err != nil {
		return nil, err
	}
	now := k.Clock.Now()
	all = slices.DeleteFunc(all, func(s session.Session) bool { return !s.Active(u.Epoch, now) })
	slices.SortFunc(all, func(a, b session.Session) int {
		if c := b.LastUsedAt.Compare(a.LastUsedAt); c != 0 {
			return c
		}
		return int(max(-1, min(1, b.ID-a.ID)))
	})
	return all, nil
}

// deleteDeadSessions ends the sessions that a new epoch has killed already, or all of a
// person who is gone, so that a failure is no more than untidy.
func (k *deps) deleteDeadSessions(ctx context.Context, of user.ID) {
	if err := k.tryDeleteDeadSessions(ctx, of); err != nil {
		k.Log.WarnContext(ctx, "dead sessions were left behind", "user", of.String(), "error", err)
	}
}

func (k *deps) tryDeleteDeadSessions(ctx context.Context, of user.ID) error {
	u, exists, err := findOptional(k.Users.FindUser(ctx, of))
	if err != nil {
		return err
	}
	all, err := k.Sessions.ListSessions(ctx, of)
	if err != nil {
		return err
	}
	dead := slices.DeleteFunc(all, func(s session.Session) bool { return exists && s.Epoch >= u.Epoch })
	_, err = k.Revoker.RevokeSessions(ctx, of, sessionIDs(dead, 0), k.Clock.Now(), SideEffects{})
	return err
}

func sessionIDs(all []session.Session, but user.SessionID) []user.SessionID {
	ids := make([]user.SessionID, 0, len(all))
	for _, s := range all {
		if s.ID != but {
			ids = append(ids, s.ID)
		}
	}
	return ids
}
