package provider

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// Resume continues a request whose user may have signed in by now. The error is
// challenge.ErrCeremonyInvalid for an unknown or answered request, and for that of another
// user or browser.
func (a *Authorizations) Resume(ctx context.Context, by user.Caller, id string) (Step, error) {
	waiting, err := a.pending(ctx, by, id)
	if err != nil {
		return Step{}, err
	}
	own, known, err := a.ownSession(ctx, by)
	if err != nil {
		return Step{}, err
	}
	return a.proceed(ctx, by, waiting.id, waiting.client, waiting.Request, own, known)
}

// ClientOf returns the client of a request that waits for the caller, and the address with which the
// client thinks that they will sign in; challenge.ErrCeremonyInvalid as for Resume.
func (a *Authorizations) ClientOf(ctx context.Context, by user.Caller, id string) (client openid.Client, loginHint string, err error) {
	waiting, err := a.pending(ctx, by, id)
	return waiting.client, waiting.LoginHint, err
}

// Freshness returns what another service is to be asked for that signs the user of a request in.
// The error is that of Resume.
func (a *Authorizations) Freshness(ctx context.Context, by user.Caller, id string) (identity.Freshness, error) {
	waiting, err := a.pending(ctx, by, id)
	return identity.Freshness{
		Login: waiting.Login, MaxAge: waiting.MaxAge, ACRValues: cmp.Or(waiting.ACRValues, waiting.client.RequireACR),
		Strong: waiting.client.Demands(waiting.Request) >= session.TwoFactors,
	}, err
}

// pendingRequest is a request that waits for its user.
type pendingRequest struct {
	openid.Request
	client openid.Client
	id     string  // "" if the browser carries it
	user   user.ID // who was asked; 0 if nobody was yet
}

// pending returns a request that waits for the caller or, if the browser carries it, for any user.
func (a *Authorizations) pending(ctx context.Context, by user.Caller, id string) (found pendingRequest, err error) {
	if challenge.IsLink(id) {
		found, err = a.storedRequest(ctx, by, id)
	} else {
		found.Request, err = a.openCarried(id)
	}
	if err == nil {
		found.client, err = a.reader.FindClient(ctx, found.Client)
	}
	if err == nil && !found.client.AllowsRedirect(found.RedirectURI) { // the client was changed in the meantime
		err = openid.ErrRedirectURI
	}
	return found, err
}

func (a *Authorizations) storedRequest(ctx context.Context, by user.Caller, id string) (found pendingRequest, err error) {
	var c challenge.Ceremony
	err = a.Atomically(ctx, func(ctx context.Context, st *tx) (err error) {
		p := challenge.AuthorizationRequest
		c, err = st.LockCeremony(ctx, p, a.CodeKey.CeremonyDigest(p, id), a.Now())
		return err
	})
	if err == nil && (c.Browser != by.From.UserAgent || c.User != 0 && c.User != by.ID) {
		err = challenge.ErrCeremonyInvalid
	}
	if err == nil {
		err = json.Unmarshal(c.State, &found.Request)
	}
	found.id, found.user = id, c.User
	return found, err
}

// Decide ends a request with the decision of the user whom Resume or Begin has asked.
func (a *Authorizations) Decide(ctx context.Context, by user.Caller, id string, allow bool) (Step, error) {
	if err := by.MustBe(user.Regular); err != nil {
		return Step{}, err
	}
	waiting, err := a.pending(ctx, by, id)
	if err != nil {
		return Step{}, err
	}
	client, r := waiting.client, waiting.Request
	own, known, err := a.ownSession(ctx, by)
	switch {
	case err != nil:
		return Step{}, err
	case !suffices(client, r, own, known):
		return a.carry(Step{Client: client, Scopes: r.Scopes, SignIn: true}, r)
	case waiting.user != by.ID:
		return Step{}, challenge.ErrCeremonyInvalid // they have not seen what they would allow
	case !allow:
		err := a.Atomically(ctx, func(ctx context.Context, st *tx) error { return a.consumeRequest(ctx, st, id) })
		if err != nil {
			return Step{}, err
		}
		return a.refuse(client, r, openid.ErrAccessDenied)
	}
	step := Step{Client: client, Scopes: r.Scopes}
	err = a.Atomically(ctx, func(ctx context.Context, st *tx) (err error) {
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
func (a *Authorizations) lockActive(ctx context.Context, st *tx, own session.Session) error {
	_, err := a.LockProved(ctx, st.Stores, own)
	return err
}

// consumeRequest ends a pending request, so that it is answered once.
func (a *Authorizations) consumeRequest(ctx context.Context, st *tx, id string) error {
	p := challenge.AuthorizationRequest
	digest := a.CodeKey.CeremonyDigest(p, id)
	if _, err := st.LockCeremony(ctx, p, digest, a.Now()); err != nil {
		return err
	}
	return st.DeleteCeremony(ctx, digest)
}

// answer records what the user allows and returns the address with the code. id is that of the
// pending request; "" if it never had to wait.
func (a *Authorizations) answer(
	ctx context.Context, st *tx, id string, client openid.Client, r openid.Request, own session.Session, by user.Caller,
) (string, error) {
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
		AuthenticatedAt: own.AuthenticatedAt(), Methods: own.Methods, Context: r.Context(own.Level()), Parent: own.ID, From: by.From,
	}, challenge.AuthorizationCode.Lifetime())
	return r.AnswerCode(a.Issuer, code), err
}

func (a *Authorizations) recordGrant(ctx context.Context, st *tx, client openid.Client, scopes string, by user.Caller) error {
	granted, err := st.LockGrant(ctx, by.ID, client.ID)
	if errors.Is(err, openid.ErrGrantNotFound) {
		granted, err = openid.Grant{User: by.ID, Client: client.ID, CreatedAt: a.Now()}, nil
	}
	if err != nil || granted.Covers(scopes) {
		return err
	}
	if err := st.SaveGrant(ctx, granted.With(scopes, a.Now())); err != nil {
		return err
	}
	return st.RecordSideEffects(ctx, auth.SideEffects{
		AuditEntries: []audit.Entry{a.AuditEntry(by, "consent.given", by.ID, "client "+client.ID+": "+scopes)},
	})
}
