package authcontract

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/auth/provider"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

// readOnly is a storage that nothing can be stored in.
type readOnly struct{ authrooms.Storage }

func (readOnly) Atomically(context.Context, func(context.Context, auth.Stores) error) error {
	return errReadOnly
}

func (readOnly) WithAddressLock(context.Context, []user.Email, func(context.Context, auth.Stores) error) error {
	return errReadOnly
}

var errReadOnly = errors.New("something was stored")

func strangersRequest(t *testing.T, open *authkit.Fixture) {
	c, by := addClient(t, open, nil), open.CreateCaller(t, "ann@u.edu", user.Regular)
	k := authkit.New(t, open.Store, func(p *authrooms.Ports, _ *auth.Config) { p.Storage, p.Now = readOnly{p.Storage}, open.Clock.Now })
	nobody := user.Caller{From: authkit.Firefox}
	step, err := k.Authorizations.Begin(ctx, nobody, parameters(c, "state", strings.Repeat("s", 2000)))
	if err != nil || !step.SignIn || len(step.Pending) > provider.MaxCarried {
		t.Fatalf("a stranger: %+v, %v", step, err)
	}
	if again, err := k.Authorizations.Resume(ctx, nobody, step.Pending); err != nil || !again.SignIn {
		t.Fatalf("still a stranger: %+v, %v", again, err)
	}
	if client, _, err := k.Authorizations.ClientOf(ctx, nobody, step.Pending); err != nil || client.Name != c.Name {
		t.Fatalf("%+v, %v", client, err)
	}
	if long, err := k.Authorizations.Begin(ctx, nobody, parameters(c, "state", strings.Repeat("s", 4000))); err != nil || !strings.Contains(long.Answer, "error=invalid_request") {
		t.Fatalf("a long request: %+v, %v", long, err)
	}
	for _, forged := range []string{"", "x", step.Pending + "A", strings.Repeat("A", 5000)} {
		want(t, must.Err(k.Authorizations.Resume(ctx, by, forged)), challenge.ErrCeremonyInvalid)
	}
	open.Clock.Advance(30 * time.Minute)
	want(t, must.Err(open.Authorizations.Resume(ctx, by, step.Pending)), challenge.ErrCeremonyInvalid)
}

func consentOnce(t *testing.T, k *authkit.Fixture) {
	c, other, by := addClient(t, k, nil), addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	authorized(t, k, by, parameters(c, "scope", "openid email"))
	for name, test := range map[string]struct {
		p    url.Values
		asks bool
	}{
		"the same": {parameters(c, "scope", "openid email"), false}, "less": {parameters(c, "scope", "openid"), false},
		"more": {parameters(c, "scope", "openid profile"), true}, "prompt=consent": {parameters(c, "scope", "openid", "prompt", "consent"), true},
		"another client": {parameters(other, "scope", "openid"), true},
	} {
		if step, err := k.Authorizations.Begin(ctx, by, test.p); err != nil || (step.Answer == "") != test.asks {
			t.Errorf("%s: %+v, %v", name, step, err)
		}
	}
	all, err := k.Clients.ListConsents(ctx, by)
	if err != nil || len(all) != 1 || all[0].Client.ID != c.ID || all[0].Grant.Scopes != "openid email" {
		t.Fatalf("consents %+v, %v", all, err)
	}
}

func firstParty(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, func(c *openid.Client) { c.FirstParty = true }), k.CreateCaller(t, "ann@u.edu", user.Admin)
	tokens := tokensFor(t, k, by, c, "prompt", "none")
	act, err := k.Authenticator.Authenticate(ctx, tokens.AccessToken, appServer)
	if err != nil || act.Limited() || act.Role != user.Admin || act.MustBe(user.Admin) != nil {
		t.Fatalf("%+v, %v", act, err)
	}
}

func consentRefused(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	step := must.Get(k.Authorizations.Begin(ctx, by, parameters(c)))(t)
	refused, err := k.Authorizations.Decide(ctx, by, step.Pending, false)
	if q := answered(t, refused, err); q.Get("error") != "access_denied" || q.Has("code") {
		t.Fatalf("%v", q)
	}
	want(t, must.Err(k.Authorizations.Decide(ctx, by, step.Pending, true)), challenge.ErrCeremonyInvalid)
}

func consentBypass(t *testing.T, k *authkit.Fixture) {
	c, ann, bob := addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular), k.CreateCaller(t, "bob@u.edu", user.Regular)
	asked := must.Get(k.Authorizations.Begin(ctx, ann, parameters(c)))(t)
	unasked := must.Get(k.Authorizations.Begin(ctx, user.Caller{From: authkit.Firefox}, parameters(c)))(t)
	elsewhere := ann
	elsewhere.From = authkit.Chrome
	limited := ann
	limited.Client, limited.Scopes = c.ID, "openid"
	for name, forged := range map[string]struct {
		by user.Caller
		id string
	}{
		"another user": {bob, asked.Pending}, "another browser": {elsewhere, asked.Pending}, "a request that was never shown": {ann, unasked.Pending},
		"no request": {ann, ""}, "an invented request": {ann, strings.Repeat("A", 43)}, "nobody": {user.Caller{From: authkit.Firefox}, asked.Pending}, "an application": {limited, asked.Pending},
	} {
		if step, err := k.Authorizations.Decide(ctx, forged.by, forged.id, true); err == nil || step.Answer != "" {
			t.Errorf("%s: %+v, %v", name, step, err)
		}
	}
	if all, err := k.Store.Identity.ListGrantees(ctx, c.ID, 0, 9); err != nil || len(all) != 0 {
		t.Errorf("%v have consented, %v", all, err)
	}
	want(t, must.Err(k.Authorizations.Resume(ctx, bob, asked.Pending)), challenge.ErrCeremonyInvalid)
}

func silentRequests(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	silent := func(by user.Caller, change ...string) url.Values {
		step, err := k.Authorizations.Begin(ctx, by, parameters(c, append(change, "prompt", "none")...))
		return answered(t, step, err)
	}
	k.Clock.Advance(time.Minute)
	if q := silent(user.Caller{From: authkit.Firefox}); q.Get("error") != "login_required" {
		t.Errorf("nobody: %v", q)
	}
	if q := silent(by); q.Get("error") != "consent_required" {
		t.Errorf("without consent: %v", q)
	}
	own := tokensFor(t, k, by, c)
	if q := silent(by); q.Get("code") == "" {
		t.Errorf("with consent: %v", q)
	}
	if q := silent(by, "max_age", "1"); q.Get("error") != "login_required" {
		t.Errorf("after a long time: %v", q)
	}
	if q := silent(by, "id_token_hint", own.IDToken); q.Get("code") == "" {
		t.Errorf("with a hint: %v", q)
	}
	bob := k.CreateCaller(t, "bob@u.edu", user.Regular)
	tokensFor(t, k, bob, c)
	for _, hint := range []string{own.IDToken, "forged"} {
		if q := silent(bob, "id_token_hint", hint); q.Get("error") != "login_required" {
			t.Errorf("with a hint for somebody else: %v", q)
		}
	}
	limited := must.Get(k.Authenticator.Authenticate(ctx, own.AccessToken, appServer))(t)
	if q := silent(limited); q.Get("error") != "login_required" {
		t.Errorf("an application: %v", q)
	}
}

func signInAgain(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	authorized(t, k, by, parameters(c))
	k.Clock.Advance(time.Minute)
	for _, change := range [][]string{{"prompt", "login"}, {"prompt", "select_account"}, {"max_age", "0"}, {"max_age", "59"}} {
		step, err := k.Authorizations.Begin(ctx, by, parameters(c, change...))
		if err != nil || !step.SignIn {
			t.Fatalf("%v: %+v, %v", change, step, err)
		}
		if skipped, err := k.Authorizations.Decide(ctx, by, step.Pending, true); err != nil || !skipped.SignIn || skipped.Answer != "" {
			t.Fatalf("%v: the sign-in can be skipped: %+v, %v", change, skipped, err)
		}
		if again, err := k.Authorizations.Resume(ctx, by, step.Pending); err != nil || !again.SignIn {
			t.Fatalf("%v: %+v, %v", change, again, err)
		}
		fresh, err := k.Authorizations.Resume(ctx, k.CallerOf(t, k.SignIn(t, "ann@u.edu")), step.Pending)
		if q := answered(t, fresh, err); q.Get("code") == "" {
			t.Fatalf("%v: %v", change, q)
		}
	}
	if step, err := k.Authorizations.Begin(ctx, by, parameters(c, "max_age", "60")); err != nil || step.Answer == "" {
		t.Fatalf("within max_age: %+v, %v", step, err)
	}
}
