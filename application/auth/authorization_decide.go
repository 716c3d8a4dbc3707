package auth

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// Resume continues a request whose user may have signed in by now. The error is
// challenge.ErrCeremonyInvalid for an unknown or answered request, and for that of another
// user or browser.
func (a *Authorizations) Resume(ctx context.Context, by user.Caller, id string) (Step, error) {
	_, client, r, err := a.pending(ctx, by, id)
	if err != nil {
		return Step{}, err
	}
	own, known, err := a.ownSession(ctx, by)
	if err != nil {
		return Step{}, err
	}
	return a.proceed(ctx, by, id, client, r, own, known)
}

// pending returns a request that waits for the caller or, if it was stored before anybody was
// signed in, for any user.
func (a *Authorizations) pending(ctx context.Context, by user.Caller, id string) (of user.ID, client openid.Client, r openid.Request, err error) {
	var c challenge.Ceremony
	err = a.Database.Atomically(ctx, func(ctx context.Context, st Stores) (err error) {
		p := challenge.AuthorizationRequest
		c, err = st.Ceremonies.LockCeremony(ctx, p, a.CodeKey.CeremonyDigest(p, id), a.Clock.Now())
		return err
	})
	if err != nil {
		return 0, client, r, err
	}
	if c.Browser != by.From.UserAgent || c.User != 0 && c.User != by.ID {
		return 0, client, r, challenge.ErrCeremonyInvalid
	}
	if err = json.Unmarshal(c.State, &r); err != nil {
		return 0, client, r, err
	}
	client, err = a.Clients.FindClient(ctx, r.Client)
	return c.User, client, r, err
}

// Decide ends a request with the decision of the user whom Resume or Begin has asked.
func (a *Authorizations) Decide(ctx context.Context, by user.Caller, id string, allow bool) (Step, error) {
	if err := by.MustBe(user.Regular); err != nil {
		return Step{}, err
	}
	asked, client, r, err := a.pending(ctx, by, id)
	if err != nil {
		return Step{}, err
	}
	own, known, err := a.ownSession(ctx, by)
	switch {
	case err != nil:
		return Step{}, err
	case !known || own.AuthenticatedAt().Before(r.SignedInSince):
		return Step{Client: client, Scopes: r.Scopes, Pending: id, SignIn: true}, nil
	case asked != by.ID:
		return Step{}, challenge.ErrCeremonyInvalid // they have not seen what they would allow
	case !allow:
		err := a.Database.Atomically(ctx, func(ctx context.Context, st Stores) error { return a.consumeRequest(ctx, st, id) })
		if err != nil {
			return Step{}, err
		}
		return a.refuse(client, r, openid.ErrAccessDenied)
	}
	step := Step{Client: client, Scopes: r.Scopes}
	err = a.Database.Atomically(ctx, func(ctx context.Context, st Stores) (err error) {
		if err := a.lockActive(ctx, st, own); err != nil {
			return err
		}
		step.Answer, err = a.answer(ctx, st, id, client, r, own, by)
		return err
	})
	return step, err
}

// lockActive locks the account of a session, before anything else of its user. The error is
// user.ErrUnauthenticated if the account has ended its sessions in the meantime: a consent
// would outlive them.
func (a *Authorizations) lockActive(ctx context.Context, st Stores, own session.Session) error {
	_, err := a.lockProved(ctx, st, own)
	return err
}

// consumeRequest ends a pending request, so that it is answered once.
func (a *Authorizations) consumeRequest(ctx context.Context, st Stores, id string) error {
	p := challenge.AuthorizationRequest
	digest := a.CodeKey.CeremonyDigest(p, id)
	if _, err := st.Ceremonies.LockCeremony(ctx, p, digest, a.Clock.Now()); err != nil {
		return err
	}
	return st.Ceremonies.DeleteCeremony(ctx, digest)
}

// answer records what the user allows and returns the address with the code. id is that of the
// pending request; "" if it never had to wait.
func (a *Authorizations) answer(ctx context.Context, st Stores, id string, client openid.Client, r openid.Request, own session.Session, by user.Caller) (string, error) {
	if id != "" {
		if err := a.consumeRequest(ctx, st, id); err != nil {
			return "", err
		}
	}
	if err := a.recordGrant(ctx, st, client, r.Scopes, by); err != nil {
		return "", err
	}
	code, err := challenge.NewLink(a.Random)
	if err != nil {
		return "", err
	}
	err = a.putIn(ctx, st, challenge.AuthorizationCode, code, by, issuedCode{
		Client: client.ID, RedirectURI: r.RedirectURI, Challenge: r.Challenge, Nonce: r.Nonce, Scopes: r.Scopes,
		AuthenticatedAt: own.AuthenticatedAt(), Parent: own.ID, From: by.From,
	}, challenge.AuthorizationCode.Lifetime())
	return r.AnswerCode(a.Issuer, code), err
}

func (a *Authorizations) recordGrant(ctx context.Context, st Stores, client openid.Client, scopes string, by user.Caller) error {
	granted, err := st.Clients.LockGrant(ctx, by.ID, client.ID)
	if errors.Is(err, openid.ErrGrantNotFound) {
		granted, err = openid.Grant{User: by.ID, Client: client.ID, CreatedAt: a.Clock.Now()}, nil
	}
	if err != nil || granted.Covers(scopes) {
		return err
	}
	if err := st.Clients.SaveGrant(ctx, granted.With(scopes, a.Clock.Now())); err != nil {
		return err
	}
	return st.SideEffects.RecordSideEffects(ctx, SideEffects{
		AuditEntries: []audit.Entry{a.auditEntry(by, "consent.given", by.ID, "client "+client.ID+": "+scopes)},
	})
}
