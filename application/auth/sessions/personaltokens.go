package sessions

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// PersonalTokens makes and revokes the access tokens that people use in their scripts.
type PersonalTokens struct{ *unit }

// Create makes a token for the caller and returns its text, which nobody can read again. It needs a recent
// proof of identity, so that a stolen session does not become one that lasts for a year.
func (p *PersonalTokens) Create(ctx context.Context, by user.Caller, name string, scopes []string, lifetime time.Duration) (string, error) {
	if err := by.MustBeInPerson(); err != nil {
		return "", err
	}
	own, err := p.ProvedSession(ctx, by)
	if err != nil {
		return "", err
	}
	made, secret, err := session.NewPersonalToken(p.Random, name, scopes, lifetime, p.Now())
	if err != nil {
		return "", err
	}
	made.ID, made.User, made.Factors = user.SessionID(p.NextID()), by.ID, own.Factors
	err = p.Atomically(ctx, func(ctx context.Context, st *tx) error {
		u, err := p.LockProved(ctx, st.Stores, own)
		if err != nil {
			return err
		}
		count, err := st.CountPersonalTokens(ctx, u.ID, u.Epoch, p.Now())
		if err == nil && count >= session.MaxPersonalTokens {
			err = session.ErrTooManyPersonalTokens
		}
		if err != nil {
			return err
		}
		token := made
		token.Epoch = u.Epoch
		if err := st.AddPersonalToken(ctx, token); err != nil {
			return err
		}
		return st.RecordSideEffects(ctx, p.tokenEffects(by, "token.created", token))
	})
	return secret, err
}

// tokenEffects names the token in the audit log.
func (p *PersonalTokens) tokenEffects(by user.Caller, action string, t session.PersonalToken) auth.SideEffects {
	return auth.SideEffects{AuditEntries: []audit.Entry{p.AuditEntry(by, action, by.ID, "token "+t.ID.String()+": "+t.Scopes)}}
}

// List returns the caller's tokens that are active, oldest first.
func (p *PersonalTokens) List(ctx context.Context, by user.Caller) ([]session.PersonalToken, error) {
	if err := by.MustBe(user.Regular); err != nil {
		return nil, err
	}
	u, err := p.Storage.FindUser(ctx, by.ID)
	if err != nil {
		return nil, err
	}
	return p.active(ctx, u)
}

// active returns the active tokens of a user.
func (p *PersonalTokens) active(ctx context.Context, u user.User) ([]session.PersonalToken, error) {
	all, err := p.reader.ListPersonalTokens(ctx, u.ID)
	now := p.Now()
	return slices.DeleteFunc(all, func(t session.PersonalToken) bool { return !t.Lifetime().Active(u.Epoch, now) }), err
}

// Revoke revokes one of the caller's tokens: the next request with it is refused.
func (p *PersonalTokens) Revoke(ctx context.Context, by user.Caller, id user.SessionID) error {
	if err := errors.Join(by.MustNotBeToken(), by.MustBe(user.Regular)); err != nil {
		return err
	}
	all, err := p.List(ctx, by)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(all, func(t session.PersonalToken) bool { return t.ID == id })
	if at < 0 {
		return session.ErrPersonalTokenNotFound
	}
	return p.Atomically(ctx, func(ctx context.Context, st *tx) error {
		if err := st.DeletePersonalToken(ctx, by.ID, id); err != nil {
			return err
		}
		return st.RecordSideEffects(ctx, p.tokenEffects(by, "token.revoked", all[at]))
	})
}

// authenticateToken returns the state of an active personal access token and records its use. Anything
// else is user.ErrUnauthenticated.
func (u *unit) authenticateToken(ctx context.Context, secret string) (PersonalTokenState, error) {
	now := u.Now()
	s, err := u.reader.FindPersonalToken(ctx, session.PersonalTokenDigest(secret))
	if errors.Is(err, session.ErrPersonalTokenNotFound) || err == nil && !s.PersonalToken.Lifetime().Active(s.UserEpoch, now) {
		return s, user.ErrUnauthenticated
	}
	if err == nil && now.Sub(s.LastUsedAt) >= touchInterval {
		err = u.Atomically(ctx, func(ctx context.Context, st *tx) error { return st.TouchPersonalToken(ctx, s.ID, now) })
	}
	return s, err
}

// exportTokens adds the tokens of a user.
func (u *unit) exportTokens(ctx context.Context, of user.ID, out *auth.ExportedAccount) error {
	all, err := u.reader.ListPersonalTokens(ctx, of)
	for _, t := range all {
		out.PersonalTokens = append(out.PersonalTokens, auth.ExportedPersonalToken{
			Name: t.Name, Scopes: t.Scopes, CreatedAt: t.CreatedAt, ExpiresAt: t.ExpiresAt, LastUsedAt: auth.Moment(t.LastUsedAt),
		})
	}
	return err
}
