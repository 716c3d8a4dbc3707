package authcontract

import (
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/provider"
	"github.com/octavo-books/octavo/application/auth/signin"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

// freshnessCases are about what applications learn of how and when somebody has signed in.
func freshnessCases(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *authkit.Fixture){
		"an application learns how somebody has signed in, also after a refresh": howSignedIn,
		"a weaker proof does not freshen a stronger sign-in":                     weakerProof,
		"a second factor on a remembered browser was not shown":                  rememberedIsOneFactor,
		"an application that wants two factors leads to them":                    demandsTwoFactors,
		"a demand for a level is met, or answered with the standard's error":     demandMetOrNot,
		"an application can be set to want two factors whatever it asks for":     alwaysTwoFactors,
	} {
		t.Run(name, func(t *testing.T) { test(t, authkit.New(t, open(t), nil)) })
	}
}

func howSignedIn(t *testing.T, k *authkit.Fixture) {
	app := addClient(t, k, func(c *openid.Client) { c.FirstParty = true })
	_, totp := withSecondFactor(t, k, "bob@u.edu")
	ann, key := provedCaller(t, k, "ann@u.edu"), newKey()
	register(t, k, ann, key)
	for name, test := range map[string]struct {
		signIn   func() auth.TokenPair
		amr, acr string
	}{
		"password": {func() auth.TokenPair { return k.SignIn(t, "ann@u.edu") }, "pwd", "urn:octavo:1"},
		"mailed code": {func() auth.TokenPair {
			askCode(t, k, "ann@u.edu", authkit.Firefox)
			return must.Get(enterCode(k, "ann@u.edu", k.LastMail(t, message.SignInCode, "ann@u.edu").Code, authkit.Firefox))(t)
		}, "otp", "urn:octavo:1"},
		"second factor": {func() auth.TokenPair { return signInWithBoth(t, k, "bob@u.edu", totp.Next()) }, "pwd otp mfa", "urn:octavo:2"},
		"recovery code": {func() auth.TokenPair { return signInWithBoth(t, k, "bob@u.edu", totp.Recovery[0]) }, "pwd otp mfa", "urn:octavo:2"},
		"passkey":       {func() auth.TokenPair { return must.Get(signInWith(k, key.Sign))(t) }, "hwk user mfa", "phr"},
		"service": {func() auth.TokenPair {
			return must.Get(externalSignIn(t, k, "trusted", provedAt(ann1("mfa", "hwk"), k.Clock.Now())))(t).TokenPair
		}, "fed hwk mfa", "urn:octavo:2"},
		"silent service": {func() auth.TokenPair {
			return must.Get(externalSignIn(t, k, "trusted", provedAt(ann1(), k.Clock.Now())))(t).TokenPair
		}, "fed", "urn:octavo:1"},
	} {
		t.Run(name, func(t *testing.T) {
			pair := test.signIn()
			at := k.Clock.Now()
			k.Clock.Advance(time.Minute)
			learns(t, k, app, k.CallerOf(t, pair), test.amr, test.acr, at)
		})
	}
}

// ann1 is what a service says that has used these methods.
func ann1(amr ...string) (c identity.Claims) {
	c = ann("1")
	if c.Email = "ann@u.edu"; len(amr) > 0 {
		c.Methods = session.ExternalMethods(amr)
	}
	return c
}

// learns wants the same in an ID token, after a refresh and from introspection.
func learns(t *testing.T, k *authkit.Fixture, app openid.Client, by user.Caller, amr, acr string, at time.Time) {
	t.Helper()
	tokens := tokensFor(t, k, by, app)
	k.Clock.Advance(time.Minute)
	again := must.Get(k.Authorizations.Refresh(ctx, provider.RefreshRequest{Client: app, Token: tokens.RefreshToken, Scope: "", From: appServer}))(t)
	for _, token := range []string{tokens.IDToken, again.IDToken} {
		if c := k.SignedIDToken(t, token); string(c.Methods) != amr || c.ACR != acr || !c.AuthenticatedAt.Equal(at) {
			t.Errorf("the ID token says %q, %q, %s, want %q, %q, %s", c.Methods, c.ACR, c.AuthenticatedAt, amr, acr, at)
		}
	}
	for _, token := range []string{again.AccessToken, again.RefreshToken} {
		if i, err := k.Authorizations.Inspect(ctx, app, token); err != nil || string(i.Methods) != amr || i.ACR != acr || !i.AuthenticatedAt.Equal(at) {
			t.Errorf("introspection says %+v, %v", i, err)
		}
	}
}

// Somebody who asks for a fresh passkey must not get a fresh password.
func weakerProof(t *testing.T, k *authkit.Fixture) {
	app := addClient(t, k, func(c *openid.Client) { c.FirstParty = true })
	ann, key := provedCaller(t, k, "ann@u.edu"), newKey()
	register(t, k, ann, key)
	by := k.CallerOf(t, must.Get(signInWith(k, key.Sign))(t))
	began := k.Clock.Now()
	k.Clock.Advance(time.Hour)
	k.Prove(t, by, "")
	if own, err := k.Store.Sessions.FindSession(ctx, by.ID, by.Session); err != nil || !own.RecentlyProved(k.Clock.Now()) {
		t.Fatalf("the password proves nothing in %+v, %v", own, err)
	}
	learns(t, k, app, by, "hwk user mfa", "phr", began)
	ann = k.CallerOf(t, k.SignIn(t, "ann@u.edu"))
	k.Clock.Advance(time.Hour)
	k.Prove(t, ann, "")
	learns(t, k, app, ann, "pwd", "urn:octavo:1", k.Clock.Now())
	totp := k.EnableSecondFactor(t, ann)
	k.Prove(t, ann, totp.Next())
	learns(t, k, app, ann, "pwd otp mfa", "urn:octavo:2", k.Clock.Now())
}

func rememberedIsOneFactor(t *testing.T, k *authkit.Fixture) {
	app := addClient(t, k, func(c *openid.Client) { c.FirstParty = true })
	_, totp := withSecondFactor(t, k, "ann@u.edu")
	from := rememberDevice(t, k, "ann@u.edu", totp, authkit.Firefox)
	pair := must.Get(signIn(k, "ann@u.edu", authkit.Password, from))(t)
	learns(t, k, app, k.CallerOf(t, pair), "pwd", "urn:octavo:1", k.Clock.Now())
}

func demandsTwoFactors(t *testing.T, k *authkit.Fixture) {
	app := addClient(t, k, func(c *openid.Client) { c.FirstParty = true })
	_, totp := withSecondFactor(t, k, "ann@u.edu")
	from := rememberDevice(t, k, "ann@u.edu", totp, authkit.Firefox)
	weak := k.CallerOf(t, must.Get(signIn(k, "ann@u.edu", authkit.Password, from))(t))
	p := parameters(app, "acr_values", "phr urn:octavo:2")
	step, err := k.Authorizations.Begin(ctx, weak, p)
	if err != nil || !step.SignIn || !step.StepUp || step.Answer != "" {
		t.Fatalf("one factor: %+v, %v", step, err)
	}
	if skipped, err := k.Authorizations.Decide(ctx, weak, step.Pending, true); err != nil || !skipped.SignIn || skipped.Answer != "" {
		t.Errorf("the second factor can be skipped: %+v, %v", skipped, err)
	}
	p.Set("prompt", "none")
	silent, err := k.Authorizations.Begin(ctx, weak, p)
	if q := answered(t, silent, err); q.Get("error") != "login_required" {
		t.Errorf("without a page: %v", q)
	}
	fresh := must.Get(k.Authorizations.Freshness(ctx, user.Caller{From: authkit.Firefox}, step.Pending))(t)
	if !fresh.Strong || fresh.ACRValues != "phr urn:octavo:2" {
		t.Fatalf("a service is asked for %+v", fresh)
	}
	_, err = k.SignIns.SignIn(ctx, signin.Request{Email: "ann@u.edu", Password: authkit.Password, Strong: fresh.Strong, From: from})
	want(t, err, auth.ErrSecondFactorRequired)
	pair := must.Get(complete(k, fault.As(err).Details["challenge"], totp.Next(), from))(t)
	done, err := k.Authorizations.Resume(ctx, k.CallerOf(t, pair), step.Pending)
	tokens := must.Get(exchange(k, app, answered(t, done, err).Get("code")))(t)
	if c := k.SignedIDToken(t, tokens.IDToken); c.ACR != "urn:octavo:2" || c.Methods != "pwd otp mfa" {
		t.Errorf("the application learns %+v", c)
	}
}

func demandMetOrNot(t *testing.T, k *authkit.Fixture) {
	app := addClient(t, k, func(c *openid.Client) { c.FirstParty = true })
	k.CreateUser(t, "bob@u.edu")
	bob := k.CallerOf(t, k.SignIn(t, "bob@u.edu"))
	ann, key := provedCaller(t, k, "ann@u.edu"), newKey()
	register(t, k, ann, key)
	strong := k.CallerOf(t, must.Get(signInWith(k, key.Sign))(t))
	service := k.CallerOf(t, must.Get(externalSignIn(t, k, "trusted", ann1("mfa")))(t).TokenPair)
	for name, test := range map[string]struct {
		by                user.Caller
		asks, told, error string
	}{
		"nobody asks":                      {strong, "", "phr", ""},
		"a passkey is two factors":         {strong, "urn:octavo:2", "urn:octavo:2", ""},
		"any of those named":               {bob, "phr urn:octavo:1", "urn:octavo:1", ""},
		"names of others demand nothing":   {bob, "1 2", "urn:octavo:1", ""},
		"two factors of a service":         {service, "urn:octavo:2 phr", "urn:octavo:2", ""},
		"somebody without a second factor": {bob, "urn:octavo:2", "", "unmet_authentication_requirements"},
		"somebody without a passkey":       {bob, "phr", "", "unmet_authentication_requirements"},
	} {
		step, err := k.Authorizations.Begin(ctx, test.by, parameters(app, "acr_values", test.asks))
		q := answered(t, step, err)
		if q.Get("error") != test.error {
			t.Errorf("%s: %v", name, q)
		}
		if test.error != "" {
			continue
		}
		if c := k.SignedIDToken(t, must.Get(exchange(k, app, q.Get("code")))(t).IDToken); c.ACR != test.told {
			t.Errorf("%s: told %q, want %q", name, c.ACR, test.told)
		}
	}
	if step, err := k.Authorizations.Begin(ctx, ann, parameters(app, "acr_values", "phr")); err != nil || !step.StepUp {
		t.Errorf("somebody with a passkey and a password: %+v, %v", step, err)
	}
}

// Whoever registers an application need not trust it to ask.
func alwaysTwoFactors(t *testing.T, k *authkit.Fixture) {
	app := addClient(t, k, func(c *openid.Client) { c.FirstParty, c.RequireACR = true, session.TwoFactors.String() })
	k.CreateUser(t, "bob@u.edu")
	_, totp := withSecondFactor(t, k, "ann@u.edu")
	from := rememberDevice(t, k, "ann@u.edu", totp, authkit.Firefox)
	weak, bob := k.CallerOf(t, must.Get(signIn(k, "ann@u.edu", authkit.Password, from))(t)), k.CallerOf(t, k.SignIn(t, "bob@u.edu"))
	var step provider.Step
	for _, asked := range []string{"", "urn:octavo:1", "1 2"} {
		var err error
		step, err = k.Authorizations.Begin(ctx, weak, parameters(app, "acr_values", asked))
		if err != nil || !step.StepUp || step.Answer != "" {
			t.Fatalf("asked for %q: %+v, %v", asked, step, err)
		}
		unmet, err := k.Authorizations.Begin(ctx, bob, parameters(app, "acr_values", asked))
		if q := answered(t, unmet, err); q.Get("error") != "unmet_authentication_requirements" {
			t.Errorf("asked for %q, somebody without a second factor gets %v", asked, q)
		}
	}
	if skipped, err := k.Authorizations.Decide(ctx, weak, step.Pending, true); err != nil || !skipped.SignIn || skipped.Answer != "" {
		t.Errorf("the second factor can be skipped: %+v, %v", skipped, err)
	}
	plain := must.Get(k.Authorizations.Begin(ctx, weak, parameters(app)))(t)
	if f, err := k.Authorizations.Freshness(ctx, user.Caller{From: authkit.Firefox}, plain.Pending); err != nil || !f.Strong || f.ACRValues != "urn:octavo:2" {
		t.Errorf("a service is asked for %+v, %v", f, err)
	}
	_, err := k.SignIns.SignIn(ctx, signin.Request{Email: "ann@u.edu", Password: authkit.Password, Strong: true, From: from})
	pair := must.Get(complete(k, fault.As(err).Details["challenge"], totp.Next(), from))(t)
	done, err := k.Authorizations.Resume(ctx, k.CallerOf(t, pair), plain.Pending)
	tokens := must.Get(exchange(k, app, answered(t, done, err).Get("code")))(t)
	if c := k.SignedIDToken(t, tokens.IDToken); c.ACR != "urn:octavo:2" || c.Methods != "pwd otp mfa" {
		t.Errorf("the application learns %+v", c)
	}
}
