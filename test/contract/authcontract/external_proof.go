package authcontract

import (
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

// provedAt returns the claims with the time at which the person proved who they are.
func provedAt(c identity.Claims, at time.Time) identity.Claims {
	c.AuthenticatedAt = at
	return c
}

func freshExternal(t *testing.T, k *authkit.Fixture) {
	signsIn := func(fresh identity.Freshness, c identity.Claims) session.Session {
		d := must.Get(k.Identities.Begin(ctx, identity.Place{Provider: "trusted"}, "/", fresh, authkit.Firefox))(t)
		k.ProviderClient.Put("code"+d.Ticket.State, c)
		k.Clock.Advance(20 * time.Second)
		a := must.Get(k.Identities.Finish(ctx, d.Ticket, identity.Answer{Code: "code" + d.Ticket.State, State: d.Ticket.State}, user.FR, authkit.Firefox))(t)
		return must.Get(k.Store.Sessions.FindSession(ctx, a.User.ID, a.Session.ID))(t)
	}
	now := k.Clock.Now()
	for name, test := range map[string]struct {
		fresh  identity.Freshness
		at     time.Time // as the provider says
		proof  bool
		unsaid bool
	}{
		"nothing is asked or said":          {unsaid: true},
		"it was asked and does not say":     {fresh: identity.Freshness{Login: true}, proof: true},
		"an age was asked":                  {fresh: identity.Freshness{MaxAge: "60"}, proof: true},
		"it says so without being asked":    {at: now.Add(-time.Minute), proof: true},
		"it answers from an old session":    {fresh: identity.Freshness{Login: true}, at: now.Add(-time.Hour)},
		"it says that it was ten hours ago": {at: now.Add(-10 * time.Hour)},
	} {
		own := signsIn(test.fresh, provedAt(ann("1"), test.at))
		if own.RecentlyProved(k.Clock.Now()) != test.proof || own.AuthenticatedAt().IsZero() != test.unsaid || !test.at.IsZero() && !own.AuthenticatedAt().Equal(test.at) {
			t.Errorf("%s: %+v", name, own)
		}
	}
	c := ann("1")
	for n, amr := range [][]string{{"pwd"}, {"pwd", "mfa"}} {
		if c.Methods = session.ExternalMethods(amr); signsIn(identity.Freshness{}, c).Factors != n+1 {
			t.Errorf("%v: %d", amr, signsIn(identity.Freshness{}, c).Factors)
		}
	}
}

// An application must not take somebody for present whom another service knows from yesterday.
func applicationWantsFreshExternal(t *testing.T, k *authkit.Fixture) {
	app := addClient(t, k, func(c *openid.Client) { c.FirstParty = true })
	for _, change := range [][]string{{"prompt", "login"}, {"max_age", "60"}} {
		step := must.Get(k.Authorizations.Begin(ctx, user.Caller{From: authkit.Firefox}, parameters(app, change...)))(t)
		fresh, err := k.Authorizations.Freshness(ctx, user.Caller{From: authkit.Firefox}, step.Pending)
		if err != nil || fresh != (identity.Freshness{Login: change[0] == "prompt", MaxAge: strings.TrimPrefix(change[1], "login")}) {
			t.Fatalf("%v: the service is asked for %+v, %v", change, fresh, err)
		}
		k.Clock.Advance(300 * time.Millisecond)
		for _, old := range []bool{true, false} {
			d := must.Get(k.Identities.Begin(ctx, identity.Place{Provider: "trusted"}, "/", fresh, authkit.Firefox))(t)
			at := k.Clock.Now().Truncate(time.Second)
			if old {
				at = at.Add(-time.Hour)
			}
			k.ProviderClient.Put("code"+d.Ticket.State, provedAt(ann("1"), at))
			a := must.Get(k.Identities.Finish(ctx, d.Ticket, identity.Answer{Code: "code" + d.Ticket.State, State: d.Ticket.State}, user.FR, authkit.Firefox))(t)
			done, err := k.Authorizations.Resume(ctx, k.CallerOf(t, a.TokenPair), step.Pending)
			if err != nil || done.SignIn != old || (done.Answer == "") != old {
				t.Fatalf("%v with an old session, %t: %+v, %v", change, old, done, err)
			}
			if old {
				continue
			}
			tokens := must.Get(exchange(k, app, answered(t, done, nil).Get("code")))(t)
			if said := k.SignedIDToken(t, tokens.IDToken).AuthenticatedAt; said.Unix() != at.Unix() {
				t.Errorf("%v: auth_time is %s, want %s", change, said, at)
			}
		}
	}
	a := must.Get(externalSignIn(t, k, "trusted", ann("1")))(t)
	tokens := tokensFor(t, k, k.CallerOf(t, a.TokenPair), app)
	if said := k.SignedIDToken(t, tokens.IDToken).AuthenticatedAt; !said.IsZero() {
		t.Errorf("auth_time is %s though nobody knows", said)
	}
}

func secondFactorExternal(t *testing.T, k *authkit.Fixture) {
	by, app := withSecondFactor(t, k, "ann@u.edu")
	k.Clock.Advance(time.Hour)
	a, err := externalSignIn(t, k, "trusted", provedAt(ann("1"), k.Clock.Now()))
	want(t, err, auth.ErrSecondFactorRequired)
	if a.AccessToken != "" {
		t.Fatalf("the result is %+v", a)
	}
	g := must.Get(complete(k, fault.As(err).Details["challenge"], app.Next(), authkit.Firefox))(t)
	if own, err := k.Store.Sessions.FindSession(ctx, by.ID, g.Session.ID); err != nil || own.Factors != 2 || !own.RecentlyProved(k.Clock.Now()) {
		t.Fatalf("session is %+v, %v", own, err)
	}
	// A provider that says that it has asked for a second factor does not replace ours.
	c := ann("1")
	c.Methods = session.ExternalMethods([]string{"mfa"})
	want(t, must.Err(externalSignIn(t, k, "trusted", c)), auth.ErrSecondFactorRequired)
	// Nor does the code mailed to an address replace the second factor.
	a = must.Get(externalSignIn(t, k, "doubtful", ann("2")))(t)
	want(t, confirmCode(k, a.Code, k.LastMail(t, message.IdentityCode, "ann@u.edu").Code), auth.ErrSecondFactorRequired)
}
