package authcontract

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/auth/external"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

// externalSignInCases are the cases of external sign-in.
func externalSignInCases(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *authkit.Fixture){
		"a trusted address creates an account without a password":                         trustedAddress,
		"a trusted address signs in to its existing account, and the owner gets a mail":   joinsAccount,
		"a known identity signs in whatever its address says":                             knownIdentity,
		"an invited person who signs in externally has an account":                        invitedExternal,
		"a sign-up with a stranger's password is void once its address signs in":          preHijacked,
		"an address that is not trusted needs the code mailed to it":                      mailedCode,
		"asking for a code does not reveal whether there is an account":                   codeRevealsNothing,
		"a mailed code is void after five wrong tries and in another browser":             codeIsBound,
		"without a mail no code is right":                                                 codeWithoutMail,
		"a provider's response is valid once, for its state and browser, for ten minutes": answerIsBound,
		"of many simultaneous responses of a provider one signs in":                       answersAtOnce,
		"two new identities of one address at once have one account":                      newcomersAtOnce,
		"only addresses of the provider's domains sign in":                                domainsOfProvider,
		"without registration only those with an account sign in":                         closedExternal,
		"a suspended person does not sign in externally and gets no code":                 suspendedExternal,
		"a second factor is asked for after an external sign-in":                          secondFactorExternal,
		"an external sign-in is a proof of when the provider says, with its factors":      freshExternal,
		"a new subject at a service does not enter the account of its address":            recycledAddress,
		"an application that wants a new sign-in is not told of an old one elsewhere":     applicationWantsFreshExternal,
		"linking needs a recent proof and stays with its session":                         linking,
		"an identity of another account cannot be taken over by linking it":               linkingTaken,
		"the last way to sign in cannot be removed":                                       unlinking,
		"identities are visible to their owner only, who alone can remove them":           foreignIdentities,
		"a provider that does not exist is refused":                                       unknownProvider,
	} {
		t.Run(name, func(t *testing.T) { test(t, authkit.New(t, open(t), nil)) })
	}
}

// beginExternal starts a sign-in and puts claims under the code "code" plus its state.
func beginExternal(t *testing.T, k *authkit.Fixture, provider string, c identity.Claims) (external.Ticket, identity.Answer) {
	t.Helper()
	d := must.Get(k.Identities.Begin(ctx, identity.Place{Provider: provider}, "/next", identity.Freshness{}, authkit.Firefox))(t)
	k.ProviderClient.Put("code"+d.Ticket.State, c)
	return d.Ticket, identity.Answer{Code: "code" + d.Ticket.State, State: d.Ticket.State}
}

// externalSignIn signs in with claims from Firefox.
func externalSignIn(t *testing.T, k *authkit.Fixture, provider string, c identity.Claims) (external.CallbackResult, error) {
	t.Helper()
	ticket, a := beginExternal(t, k, provider, c)
	return k.Identities.Finish(ctx, ticket, a, user.FR, authkit.Firefox)
}

func ann(subject string) identity.Claims {
	return identity.Claims{Subject: subject, Email: "Ann@u.edu", EmailVerified: true, Name: "Ann Lee"}
}

func trustedAddress(t *testing.T, k *authkit.Fixture) {
	a := must.Get(externalSignIn(t, k, "trusted", ann("1")))(t)
	u := a.User
	if u.Email != "ann@u.edu" || !u.Verified || u.PasswordHash != "" || u.Name != "Ann Lee" || u.Lang != user.FR || u.Profile != nil || a.Next != "/next" || a.Linked {
		t.Fatalf("the result is %+v", a)
	}
	by := k.CallerOf(t, a.TokenPair)
	mine := must.Get(k.Identities.List(ctx, by))(t)
	if len(mine) != 1 || mine[0].Provider != "trusted" || mine[0].Subject != "1" || mine[0].Email != "ann@u.edu" || !mine[0].CreatedAt.Equal(k.Clock.Now()) {
		t.Fatalf("identities are %+v", mine)
	}
	if n := len(k.Store.Messages()); n != 0 {
		t.Fatalf("%d mails were sent to a newcomer, want 0", n)
	}
	want(t, must.Err(signIn(k, "ann@u.edu", "", authkit.Firefox)), auth.ErrInvalidCredentials)
}

func joinsAccount(t *testing.T, k *authkit.Fixture) {
	old := k.CreateUser(t, "ann@u.edu")
	a := must.Get(externalSignIn(t, k, "trusted", ann("1")))(t)
	if a.User.ID != old.ID {
		t.Fatalf("signed in as %+v, not as %+v", a.User, old)
	}
	if m := k.LastMail(t, message.IdentityLinked, "ann@u.edu"); m.Params[message.ParamProvider] != "Trusted Inc" || m.Params[message.ParamIP] != authkit.Firefox.IP {
		t.Fatalf("mail is %+v", m)
	}
	k.SignIn(t, "ann@u.edu") // the password still works
	must.Get(externalSignIn(t, k, "trusted", ann("1")))(t)
	if n := len(k.Mails(message.IdentityLinked, "ann@u.edu")); n != 1 {
		t.Fatalf("%d mails of one link, want 1", n)
	}
}

func knownIdentity(t *testing.T, k *authkit.Fixture) {
	first := must.Get(externalSignIn(t, k, "trusted", ann("1")))(t)
	bob := k.CreateUser(t, "bob@u.edu")
	for _, address := range []string{"bob@u.edu", "new@elsewhere.org", "", `["ann@u.edu"]`} {
		a := must.Get(externalSignIn(t, k, "trusted", identity.Claims{Subject: "1", Email: address, EmailVerified: true}))(t)
		if a.User.ID != first.User.ID || a.User.ID == bob.ID || a.User.Email != "ann@u.edu" {
			t.Fatalf("with %q signed in as %+v", address, a.User)
		}
	}
}

// The same address with another subject may be another person, to whom the provider has given the
// address of somebody who left.
func recycledAddress(t *testing.T, k *authkit.Fixture) {
	first := must.Get(externalSignIn(t, k, "trusted", ann("1")))(t)
	want(t, must.Err(externalSignIn(t, k, "trusted", ann("2"))), identity.ErrOtherSubject)
	a, err := externalSignIn(t, k, "trusted", identity.Claims{Subject: "3", Email: "ann@u.edu"}) // a code is mailed
	must.Do(t, err)
	want(t, confirmCode(k, a.Code, k.LastMail(t, message.IdentityCode, "ann@u.edu").Code), identity.ErrOtherSubject)
	k.Clock.Advance(time.Minute)
	elsewhere, err := externalSignIn(t, k, "doubtful", ann("9")) // the account has none there
	must.Do(t, err)
	must.Do(t, confirmCode(k, elsewhere.Code, k.LastMail(t, message.IdentityCode, "ann@u.edu").Code))

	root := k.CreateCaller(t, "root@u.edu", user.Admin)
	owner := k.CreateCaller(t, "owner@u.edu", user.Owner)
	by := k.CallerOf(t, first.TokenPair)
	want(t, k.Identities.LinkFor(ctx, by, by.ID, "trusted", "2"), user.ErrForbidden)
	want(t, k.Identities.LinkFor(ctx, root, owner.ID, "trusted", "2"), user.ErrForbidden)
	want(t, k.Identities.LinkFor(ctx, root, by.ID, "trusted", ""), identity.ErrSubjectInvalid)
	want(t, k.Identities.LinkFor(ctx, root, by.ID, "unheard of", "2"), identity.ErrUnknownProvider)
	want(t, k.Identities.LinkFor(ctx, owner, root.ID, "trusted", "1"), identity.ErrTaken)
	must.Do(t, k.Identities.LinkFor(ctx, root, by.ID, "trusted", "2"))
	must.Do(t, k.Identities.LinkFor(ctx, root, by.ID, "trusted", "2"))
	in := must.Get(externalSignIn(t, k, "trusted", ann("2")))(t)
	if in.User.ID != first.User.ID || len(k.Mails(message.IdentityLinked, "ann@u.edu")) != 2 {
		t.Fatalf("signed in as %+v, with %d mails", in.User, len(k.Mails(message.IdentityLinked, "ann@u.edu")))
	}
}

func invitedExternal(t *testing.T, k *authkit.Fixture) {
	k.Config.AllowRegistration = false
	admin := k.CreateCaller(t, "root@u.edu", user.Admin)
	id := must.Get(k.Invitations.Invite(ctx, admin, "ann@u.edu", user.EN))(t)
	a := must.Get(externalSignIn(t, k, "trusted", ann("1")))(t)
	if a.User.ID != id || !a.User.Verified || a.User.Lang != user.EN {
		t.Fatalf("signed in as %+v", a.User)
	}
	if open, err := k.Invitations.Open(ctx, admin); err != nil || len(open) != 0 {
		t.Fatalf("open invitations: %+v, %v", open, err)
	}
}

func preHijacked(t *testing.T, k *authkit.Fixture) {
	signUp(t, k, "ann@u.edu", "the stranger's password")
	code := k.LastMail(t, message.Verification, "ann@u.edu").Code
	must.Get(externalSignIn(t, k, "trusted", ann("1")))(t)
	want(t, must.Err(signIn(k, "ann@u.edu", "the stranger's password", authkit.Chrome)), auth.ErrInvalidCredentials)
	want(t, k.Accounts.VerifyEmail(ctx, "ann@u.edu", code, authkit.Chrome), challenge.ErrCodeInvalid)
	want(t, must.Err(signIn(k, "ann@u.edu", "the stranger's password", authkit.Chrome)), auth.ErrInvalidCredentials)
}

func mailedCode(t *testing.T, k *authkit.Fixture) {
	old := k.CreateUser(t, "ann@u.edu")
	for _, c := range []struct {
		provider string
		claims   identity.Claims
	}{
		{"doubtful", ann("1")},
		{"trusted", identity.Claims{Subject: "2", Email: "ann@u.edu"}}, // which it does not call verified
	} {
		k.Clock.Advance(time.Minute)
		a := must.Get(externalSignIn(t, k, c.provider, c.claims))(t)
		if a.Code == "" || a.AccessToken != "" || a.Address != "ann@u.edu" {
			t.Fatalf("%s: the result is %+v", c.provider, a)
		}
		m := k.LastMail(t, message.IdentityCode, "ann@u.edu")
		a = must.Get(k.Identities.ConfirmCode(ctx, a.Code, m.Code[:4]+" "+m.Code[4:], authkit.Firefox))(t)
		if a.User.ID != old.ID || a.AccessToken == "" || a.Next != "/next" {
			t.Fatalf("%s: the result is %+v", c.provider, a)
		}
		again := must.Get(externalSignIn(t, k, c.provider, c.claims))(t)
		if again.User.ID != old.ID { // it is known now
			t.Fatalf("%s: signed in again as %+v", c.provider, again)
		}
	}
}

func codeRevealsNothing(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@u.edu")
	var seen []external.CallbackResult
	for _, address := range []string{"ann@u.edu", "nobody@u.edu"} {
		a := must.Get(externalSignIn(t, k, "doubtful", identity.Claims{Subject: address, Email: address}))(t)
		m := k.LastMail(t, message.IdentityCode, address)
		want(t, confirmCode(k, a.Code, wrong(m.Code)), challenge.ErrCodeInvalid)
		a.Code, a.Address = "", ""
		seen = append(seen, a)
	}
	if seen[0] != seen[1] {
		t.Fatalf("with an account %+v, without %+v", seen[0], seen[1])
	}
}

func confirmCode(k *authkit.Fixture, id, code string) error {
	return must.Err(k.Identities.ConfirmCode(ctx, id, code, authkit.Firefox))
}

func codeIsBound(t *testing.T, k *authkit.Fixture) {
	start := func() (string, string) {
		k.Clock.Advance(10 * time.Hour)
		a := must.Get(externalSignIn(t, k, "doubtful", ann("1")))(t)
		return a.Code, k.LastMail(t, message.IdentityCode, "ann@u.edu").Code
	}
	id, code := start()
	for range challenge.MaxAttempts - 1 {
		want(t, confirmCode(k, id, wrong(code)), challenge.ErrCodeInvalid)
		want(t, confirmCode(k, id, "1234"), challenge.ErrCodeInvalid) // a slip does not count
	}
	want(t, must.Err(k.Identities.ConfirmCode(ctx, id, code, authkit.Chrome)), challenge.ErrCeremonyInvalid)
	want(t, confirmCode(k, id, wrong(code)), challenge.ErrCodeInvalid)
	want(t, confirmCode(k, id, code), challenge.ErrCeremonyInvalid)

	first, firstCode := start()
	second, secondCode := start()
	want(t, confirmCode(k, second, firstCode), challenge.ErrCodeInvalid)
	must.Do(t, confirmCode(k, second, secondCode))
	want(t, confirmCode(k, second, secondCode), challenge.ErrCeremonyInvalid)
	want(t, confirmCode(k, first, firstCode), challenge.ErrCeremonyInvalid) // ten hours old
	for _, id := range []string{"", "x", second + "A"} {
		want(t, confirmCode(k, id, secondCode), challenge.ErrCeremonyInvalid)
	}
}

func codeWithoutMail(t *testing.T, k *authkit.Fixture) {
	var codes []string
	for range 8 { // one a minute is mailed
		a := must.Get(externalSignIn(t, k, "doubtful", ann("1")))(t)
		codes = append(codes, a.Code)
	}
	mails := k.Mails(message.IdentityCode, "ann@u.edu")
	if len(mails) != 1 {
		t.Fatalf("%d mails within a minute, want 1", len(mails))
	}
	want(t, confirmCode(k, codes[1], mails[0].Code), challenge.ErrCodeInvalid)
	must.Do(t, confirmCode(k, codes[0], mails[0].Code))
}

func answerIsBound(t *testing.T, k *authkit.Fixture) {
	finish := func(t external.Ticket, a identity.Answer, from user.ClientInfo) error {
		return must.Err(k.Identities.Finish(ctx, t, a, user.EN, from))
	}
	one, answer := beginExternal(t, k, "trusted", ann("1"))
	two, other := beginExternal(t, k, "trusted", ann("2"))
	want(t, finish(one, other, authkit.Firefox), challenge.ErrCeremonyInvalid)
	for _, state := range []string{"", one.State + "A", one.State[1:]} {
		want(t, finish(one, identity.Answer{Code: answer.Code, State: state}, authkit.Firefox), challenge.ErrCeremonyInvalid)
	}
	want(t, finish(one, answer, authkit.Chrome), challenge.ErrCeremonyInvalid) // it is left for its own browser
	must.Do(t, finish(one, answer, authkit.Firefox))
	k.ProviderClient.Put(answer.Code, ann("1"))
	want(t, finish(one, answer, authkit.Firefox), challenge.ErrCeremonyInvalid)

	forged := two
	forged.User = 1
	want(t, finish(forged, other, authkit.Firefox), challenge.ErrCeremonyInvalid)
	if r := k.ProviderClient.Redeemed; len(r) != 1 || r[0] != one.Request || r[0].Nonce == r[0].State || r[0].Verifier == r[0].Nonce {
		t.Fatalf("redeemed %+v", r)
	}
	k.Clock.Advance(10 * time.Minute)
	want(t, finish(two, other, authkit.Firefox), challenge.ErrCeremonyInvalid)

	cancelled, a := beginExternal(t, k, "trusted", ann("3"))
	a.Error = "access_denied"
	want(t, finish(cancelled, a, authkit.Firefox), identity.ErrCancelled)
	a.Error = ""
	want(t, finish(cancelled, a, authkit.Firefox), challenge.ErrCeremonyInvalid)
}

func answersAtOnce(t *testing.T, k *authkit.Fixture) {
	ticket, a := beginExternal(t, k, "trusted", ann("1"))
	errs := make([]error, 8)
	var group sync.WaitGroup
	for n := range errs {
		group.Go(func() { _, errs[n] = k.Identities.Finish(ctx, ticket, a, user.EN, authkit.Firefox) })
	}
	group.Wait()
	in := 0
	for _, err := range errs {
		if err == nil {
			in++
		} else if !errors.Is(err, challenge.ErrCeremonyInvalid) {
			t.Error(err)
		}
	}
	if in != 1 {
		t.Errorf("%d answers signed in, want 1", in)
	}
}

func newcomersAtOnce(t *testing.T, k *authkit.Fixture) {
	arrivals := make([]external.CallbackResult, 9)
	var group sync.WaitGroup
	for n := range arrivals {
		ticket, a := beginExternal(t, k, "trusted", ann(string('a'+rune(n%3))))
		group.Go(func() {
			var err error
			if arrivals[n], err = k.Identities.Finish(ctx, ticket, a, user.EN, authkit.Firefox); err != nil && !errors.Is(err, identity.ErrOtherSubject) {
				t.Error(err)
			}
		})
	}
	group.Wait()
	var in []external.CallbackResult
	for _, a := range arrivals {
		if a.User.ID != 0 {
			in = append(in, a)
		}
	}
	if len(in) != 3 || in[0].User.ID != in[1].User.ID || in[0].User.ID != in[2].User.ID {
		t.Fatalf("%d of three people with one address have signed in, in three tabs each; want one of them: %+v", len(in), in)
	}
	if mine, err := k.Identities.List(ctx, k.CallerOf(t, in[0].TokenPair)); err != nil || len(mine) != 1 {
		t.Fatalf("identities are %+v, %v", mine, err)
	}
}

func domainsOfProvider(t *testing.T, k *authkit.Fixture) {
	for address, admitted := range map[string]bool{"ann@campus.edu": true, "ann@cs.campus.edu": true, "ann@evilcampus.edu": false, "ann@campus.edu.evil.org": false} {
		_, err := externalSignIn(t, k, "campus", identity.Claims{Subject: address, Email: address, EmailVerified: true})
		if admitted {
			must.Do(t, err)
		} else {
			want(t, err, identity.ErrDomainRefused)
		}
	}
	want(t, must.Err(externalSignIn(t, k, "campus", identity.Claims{Subject: "7", Email: "ann@elsewhere.org"})), identity.ErrDomainRefused)
	if n := len(k.Store.Messages()); n != 0 {
		t.Fatalf("%d mails, want 0", n)
	}
	for _, bad := range []string{"", "ann", `["ann@campus.edu"]`, "ann@campus.edu, bob@campus.edu", "аnn@campus.edu", "ann@саmpus.edu"} {
		want(t, must.Err(externalSignIn(t, k, "campus", identity.Claims{Subject: "8", Email: bad, EmailVerified: true})), identity.ErrNoEmail)
	}
}

func closedExternal(t *testing.T, open *authkit.Fixture) {
	old := open.CreateUser(t, "ann@u.edu")
	k := authkit.New(t, open.Store, func(p *authrooms.Ports, c *auth.Config) {
		c.AllowRegistration, p.NextID, p.Now = false, open.IDs.Next, open.Clock.Now
	})
	want(t, must.Err(externalSignIn(t, k, "trusted", identity.Claims{Subject: "2", Email: "new@u.edu", EmailVerified: true})), auth.ErrRegistrationDisabled)
	a := must.Get(externalSignIn(t, k, "trusted", ann("1")))(t)
	if a.User.ID != old.ID {
		t.Fatalf("signed in as %+v", a.User)
	}
	a = must.Get(externalSignIn(t, k, "doubtful", identity.Claims{Subject: "3", Email: "other@u.edu"}))(t)
	want(t, confirmCode(k, a.Code, k.LastMail(t, message.IdentityCode, "other@u.edu").Code), auth.ErrRegistrationDisabled)
}

func suspendedExternal(t *testing.T, k *authkit.Fixture) {
	a := must.Get(externalSignIn(t, k, "trusted", ann("1")))(t)
	suspendUser(t, k, a.User)
	for _, subject := range []string{"1", "2"} {
		want(t, must.Err(externalSignIn(t, k, "trusted", ann(subject))), user.ErrSuspended)
	}
	a = must.Get(externalSignIn(t, k, "doubtful", ann("3")))(t)
	if a.Code == "" || len(k.Mails(message.IdentityCode, "ann@u.edu")) != 0 {
		t.Fatalf("the result is %+v with %d mails", a, len(k.Mails(message.IdentityCode, "ann@u.edu")))
	}
}

func suspendUser(t *testing.T, k *authkit.Fixture, u user.User) {
	t.Helper()
	u.SuspendedAt = k.Clock.Now()
	saveUser(t, k, u)
}

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
