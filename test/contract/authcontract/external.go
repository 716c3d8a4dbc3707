package authcontract

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/auth/external"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/message"
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
