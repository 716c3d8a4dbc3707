package external

import (
	"cmp"
	"context"
	"crypto/subtle"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// Identities signs people in with external providers and links their identities to accounts.
type Identities struct {
	*unit
}

// ticketLifetime is how long a person may take to sign in at a provider.
const ticketLifetime = 10 * time.Minute

// Ticket is what the browser keeps between the start of an external sign-in and the answer
// of the provider. Driving adapters must encrypt and authenticate it: it contains secrets and
// decides whose account gets the identity.
type Ticket struct {
	Provider string
	identity.Request
	// User and Session are whose account the identity is to be linked to; 0 for a sign-in.
	User      user.ID
	Session   user.SessionID
	Next      string // where the person wanted to go; opaque here
	ExpiresAt time.Time
}

// proof returns when the person has proved who they are, if the provider says at. It says so in whole
// seconds: a proof in the second in which the ticket was made is one for this ticket.
func (t Ticket) proof(at time.Time) time.Time {
	if begun := t.ExpiresAt.Add(-ticketLifetime); at.Before(begun) && !at.Before(begun.Truncate(time.Second)) {
		return begun
	}
	return at
}

// AuthorizationRedirect is the start of an external sign-in.
type AuthorizationRedirect struct {
	URL    string // where the browser goes
	Ticket Ticket
}

// CallbackResult is the result of an external sign-in: a session, a linked identity, or a mailed
// code.
type CallbackResult struct {
	auth.TokenPair
	Linked  bool       // to the account of Ticket.User, which has its session already
	Code    string     // input of ConfirmCode; empty if no code is needed
	Address user.Email // to which the code was mailed
	Next    string     // Ticket.Next
	Remote  string     // the session at the provider, for ending it there; also with an error that asks for a second factor
}

// Available returns the services at which people may sign in.
func (i *Identities) Available() []identity.Provider { return i.Providers }

// provider returns the provider with a name, or identity.ErrUnknownProvider.
func (i *Identities) provider(name string) (identity.Provider, error) {
	for _, p := range i.Providers {
		if p.Name == name && i.client != nil {
			return p, nil
		}
	}
	return identity.Provider{}, identity.ErrUnknownProvider
}

// hasProvider reports whether people may sign in with the provider.
func (d *unit) hasProvider(name string) bool {
	return d.client != nil && slices.ContainsFunc(d.Providers, func(p identity.Provider) bool { return p.Name == name })
}

// Begin starts a sign-in at a provider, which is asked for a new proof where one is needed.
func (i *Identities) Begin(
	ctx context.Context, at identity.Place, next string, fresh identity.Freshness, from user.ClientInfo,
) (AuthorizationRedirect, error) {
	return i.begin(ctx, Ticket{Provider: at.Provider, Next: next, Request: identity.Request{Service: at.Service, Freshness: fresh}}, from)
}

// BeginLink starts to link an identity to the caller's account. It needs a recent proof of
// identity. Driving adapters must make sure that the caller wants it: a request forged by
// another site would open the account to the person who is signed in at the provider.
func (i *Identities) BeginLink(ctx context.Context, by user.Caller, at identity.Place, next string) (AuthorizationRedirect, error) {
	if err := i.MustHaveProved(ctx, by); err != nil {
		return AuthorizationRedirect{}, err
	}
	return i.begin(
		ctx, Ticket{Provider: at.Provider, Next: next, Request: identity.Request{Service: at.Service}, User: by.ID, Session: by.Session},
		by.From,
	)
}

func (i *Identities) begin(ctx context.Context, t Ticket, from user.ClientInfo) (AuthorizationRedirect, error) {
	p, err := i.provider(t.Provider)
	if err != nil {
		return AuthorizationRedirect{}, err
	}
	if err := i.AllowRequests(ctx, i.attempt(from)); err != nil {
		return AuthorizationRedirect{}, err
	}
	for _, secret := range []*string{&t.State, &t.Nonce, &t.Verifier} {
		if *secret, err = challenge.NewLink(i.Random); err != nil {
			return AuthorizationRedirect{}, err
		}
	}
	to, err := i.client.AuthorizationURL(ctx, p.Name, t.Request)
	if err != nil {
		return AuthorizationRedirect{}, err
	}
	now := i.Now()
	t.ExpiresAt = now.Add(ticketLifetime)
	err = i.Atomically(ctx, func(ctx context.Context, st *tx) error {
		return st.PutCeremony(ctx, challenge.Ceremony{
			Purpose: challenge.IdentitySignIn, Digest: i.CodeKey.CeremonyDigest(challenge.IdentitySignIn, t.State),
			User: t.User, Browser: from.UserAgent, CreatedAt: now, ExpiresAt: t.ExpiresAt,
		})
	})
	return AuthorizationRedirect{URL: to, Ticket: t}, err
}

// attempt is limited as sign-ins are, but counted separately from those with a password.
func (i *Identities) attempt(from user.ClientInfo) limit.Request {
	return auth.RequestFrom("external sign-ins", i.Rules.SignIns, from)
}

// Finish completes Begin or BeginLink with the provider's answer and the ticket of this
// browser. A ticket accepts one answer, even a bad one. A second answer, the answer to
// another ticket and one after ten minutes are challenge.ErrCeremonyInvalid. lang is the
// language of the mails to a new account.
func (i *Identities) Finish(
	ctx context.Context, t Ticket, a identity.Answer, lang user.Lang, from user.ClientInfo,
) (CallbackResult, error) {
	if err := i.AllowRequests(ctx, i.attempt(from)); err != nil {
		return CallbackResult{}, err
	}
	p, err := i.provider(t.Provider)
	if err != nil {
		return CallbackResult{}, err
	}
	if err := i.useTicket(ctx, t, a.State, from); err != nil {
		return CallbackResult{}, err
	}
	c, err := i.client.RedeemCode(ctx, p.Name, t.Request, a)
	if err != nil {
		return CallbackResult{}, err
	}
	c.AuthenticatedAt = t.proof(c.AuthenticatedAt)
	if t.User != 0 {
		return CallbackResult{Linked: true, Next: t.Next}, i.link(ctx, p, c, t, from)
	}
	return i.resolve(ctx, p, pendingIdentity{Provider: p.Name, Claims: c, Lang: lang, Next: t.Next, Strong: t.Strong}, from)
}

// useTicket returns challenge.ErrCeremonyInvalid unless the answer belongs to the ticket and
// is the first one.
func (i *Identities) useTicket(ctx context.Context, t Ticket, state string, from user.ClientInfo) error {
	now := i.Now()
	if subtle.ConstantTimeCompare([]byte(state), []byte(t.State)) != 1 || !now.Before(t.ExpiresAt) {
		return challenge.ErrCeremonyInvalid
	}
	return i.Atomically(ctx, func(ctx context.Context, st *tx) error {
		digest := i.CodeKey.CeremonyDigest(challenge.IdentitySignIn, t.State)
		c, err := st.LockCeremony(ctx, challenge.IdentitySignIn, digest, now)
		if err != nil {
			return err
		}
		if c.Browser != from.UserAgent || c.User != t.User {
			return challenge.ErrCeremonyInvalid
		}
		return st.DeleteCeremony(ctx, digest)
	})
}

// resolve signs in the person whom a provider has sent back. A known identity suffices, even
// if its address has changed. Otherwise the address decides; unless the provider is trusted to
// verify addresses, the person must first enter a code mailed to it.
func (i *Identities) resolve(ctx context.Context, p identity.Provider, w pendingIdentity, from user.ClientInfo) (CallbackResult, error) {
	c := w.Claims
	u, known, err := i.findOwner(ctx, p, c)
	if err != nil {
		return CallbackResult{}, err
	}
	if known {
		return i.complete(ctx, u, w, from)
	}
	if w.Address, err = user.ParseEmail(c.Email); err != nil {
		return CallbackResult{}, identity.ErrNoEmail
	}
	if !p.Admits(w.Address) {
		return CallbackResult{}, identity.ErrDomainRefused
	}
	if !p.Trusted(c) {
		return i.askForCode(ctx, p, w, from)
	}
	if u, err = i.join(ctx, p, c, w.Address, w.Lang, from); err != nil {
		return CallbackResult{}, err
	}
	return i.complete(ctx, u, w, from)
}

// complete starts a session. The sign-in counts as a proof of when the provider says that there was
// one: it may have recognised the person by an old session.
func (i *Identities) complete(ctx context.Context, u user.User, w pendingIdentity, from user.ClientInfo) (CallbackResult, error) {
	c := w.Claims
	u, err := i.applyGrants(ctx, u, w.Provider, c.Grants, from)
	if err != nil {
		return CallbackResult{}, err
	}
	pair, err := i.Hooks.SignIn(ctx, auth.Authentication{
		User: u, Factors: c.Factors(), External: true, ProvedAt: c.AuthenticatedAt,
		Methods: cmp.Or(c.Methods, session.External), Strong: w.Strong, From: from,
		Service: auth.ServiceSignIn{Service: w.Provider, Subject: c.Subject, SID: c.SID},
	})
	return CallbackResult{TokenPair: pair, Next: w.Next, Remote: c.Session}, err
}
