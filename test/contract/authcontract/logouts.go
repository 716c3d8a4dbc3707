package authcontract

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/provider"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

// logoutCases are about what applications hear of the end of their sessions.
func logoutCases(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *authkit.Fixture){
		"an application hears once of the end of its session, whatever ends it":      hearsOfTheEnd,
		"a sign-out of Octavo alone ends no session of an application":               plainSignOut,
		"a sign-out reaches applications from before the person signed in anew":      signedInAnew,
		"a sign-out everywhere is about one browser and all its applications":        oneBrowser,
		"a session that ends many times at once is told once":                        endsAtOnce,
		"an application that was removed or has no address any more is not told":     removedMeanwhile,
		"an application that refuses is told again with another token":               refusingApplication,
		"a code that is redeemed after its user has lost all sessions gives nothing": redeemedTooLate,
		"only the newest sign-ins at one application are remembered":                 newestSignIns,
		"a service ends the session that it names, and those of applications":        serviceEndsSession,
		"a service ends all sessions of a person, by each token once":                serviceEndsPerson,
	} {
		t.Run(name, func(t *testing.T) { test(t, authkit.New(t, open(t), nil)) })
	}
}

// An application may ask for a new sign-in, which gives the browser another session.
func signedInAnew(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@u.edu")
	k.CreateUser(t, "bob@u.edu")
	first, bob := k.CallerOf(t, k.SignIn(t, "ann@u.edu")), k.CallerOf(t, k.SignIn(t, "bob@u.edu"))
	c := addListening(t, k)
	before, bobs := tokensFor(t, k, first, c), tokensFor(t, k, bob, c)
	second := k.SignIn(t, "ann@u.edu")
	must.Do(t, k.Sessions.Replace(ctx, first, second.Session))
	must.Do(t, k.Sessions.Replace(ctx, bob, second.Session)) // on a shared computer
	if !isActive(k, before) || !isActive(k, bobs) {
		t.Fatal("an application has lost its session")
	}
	by := k.CallerOf(t, second)
	after := tokensFor(t, k, by, c)
	must.Do(t, k.Sessions.SignOutEverywhere(ctx, by))
	if isActive(k, before) || isActive(k, after) || !isActive(k, bobs) {
		t.Errorf("active are %v, %v and bob's %v", isActive(k, before), isActive(k, after), isActive(k, bobs))
	}
	hears(t, k, before, after)
}

const backURI = "https://app.example/back"

func addListening(t *testing.T, k *authkit.Fixture) openid.Client {
	t.Helper()
	return addClient(t, k, func(c *openid.Client) { c.FirstParty, c.BackchannelLogoutURI = true, backURI })
}

// hears wants the applications to be told of these ID tokens' sessions, each once.
func hears(t *testing.T, k *authkit.Fixture, tokens ...provider.ClientTokens) {
	t.Helper()
	var want, got []user.SessionID
	for _, one := range tokens {
		want = append(want, k.SignedIDToken(t, one.IDToken).Session)
	}
	for _, c := range k.TellApplications(t) {
		if got = append(got, c.Session); c.ID == "" || c.User == 0 || c.Client == "" || !c.ExpiresAt.After(c.IssuedAt) {
			t.Errorf("told %+v", c)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("told of %v, want %v", got, want)
	}
}

func hearsOfTheEnd(t *testing.T, k *authkit.Fixture) {
	root, password := k.CreateCaller(t, "root@u.edu", user.Owner), authkit.Password
	for name, end := range map[string]func(t *testing.T, by user.Caller, own provider.ClientTokens, c openid.Client) error{
		"everywhere": func(_ *testing.T, by user.Caller, _ provider.ClientTokens, _ openid.Client) error {
			return k.Sessions.SignOutEverywhere(ctx, by)
		},
		"of all": func(_ *testing.T, by user.Caller, _ provider.ClientTokens, _ openid.Client) error {
			return k.Sessions.SignOutOfAll(ctx, by)
		},
		"revoked browser": func(_ *testing.T, by user.Caller, _ provider.ClientTokens, _ openid.Client) error {
			return k.Sessions.Revoke(ctx, by, by.Session)
		},
		"others": func(t *testing.T, by user.Caller, _ provider.ClientTokens, _ openid.Client) error {
			u := must.Get(k.Users.Me(ctx, by))(t)
			return must.Err(k.Sessions.RevokeOthers(ctx, k.CallerOf(t, k.SignIn(t, string(u.Email)))))
		},
		"admin": func(_ *testing.T, by user.Caller, _ provider.ClientTokens, _ openid.Client) error {
			return must.Err(k.Users.EndSessions(ctx, root, by.ID))
		},
		"suspension": func(_ *testing.T, by user.Caller, _ provider.ClientTokens, _ openid.Client) error {
			return must.Err(k.Users.Suspend(ctx, root, by.ID, "rude"))
		},
		"deletion": func(_ *testing.T, by user.Caller, _ provider.ClientTokens, _ openid.Client) error {
			return must.Err(k.Users.Delete(ctx, root, []user.ID{by.ID}))
		},
		"leaving": func(t *testing.T, by user.Caller, _ provider.ClientTokens, _ openid.Client) error {
			prove(t, k, by)
			return k.Users.Leave(ctx, by)
		},
		"password": func(_ *testing.T, by user.Caller, _ provider.ClientTokens, _ openid.Client) error {
			return k.Passwords.Change(ctx, by, password, "another long secret")
		},
		"withdrawn": func(_ *testing.T, by user.Caller, _ provider.ClientTokens, c openid.Client) error {
			return k.Clients.WithdrawConsent(ctx, by, c.ID)
		},
		"its own logout": func(t *testing.T, by user.Caller, own provider.ClientTokens, _ openid.Client) error {
			l := must.Get(k.Authorizations.ReadLogout(ctx, by, url.Values{"id_token_hint": {own.IDToken}}))(t)
			return must.Err(k.Authorizations.EndSession(ctx, by, l, false))
		},
	} {
		for _, scopes := range []string{"openid", "openid offline_access"} {
			c, by := addListening(t, k), k.CreateCaller(t, strings.ReplaceAll(name, " ", "")+string(rune('0'+len(scopes)%10))+"@u.edu", user.Regular)
			own := tokensFor(t, k, by, c, "scope", scopes)
			k.Clock.Advance(30 * time.Minute) // without offline_access its session here is over
			t.Run(name+" "+scopes, func(t *testing.T) {
				must.Do(t, end(t, by, own, c))
				hears(t, k, own)
				hears(t, k)
			})
		}
	}
}

func plainSignOut(t *testing.T, k *authkit.Fixture) {
	c, by := addListening(t, k), k.CreateCaller(t, "ann@u.edu", user.Regular)
	own := tokensFor(t, k, by, c)
	must.Do(t, k.Sessions.SignOut(ctx, by))
	if hears(t, k); !isActive(k, own) {
		t.Error("the application's session has ended")
	}
	must.Do(t, k.Authorizations.Revoke(ctx, c, own.AccessToken, appServer))
	hears(t, k, own)
}

func oneBrowser(t *testing.T, k *authkit.Fixture) {
	mail, grades, by := addListening(t, k), addListening(t, k), k.CreateCaller(t, "ann@u.edu", user.Regular)
	other := k.CallerOf(t, k.SignIn(t, "ann@u.edu"))
	here, alsoHere, there := tokensFor(t, k, by, mail), tokensFor(t, k, by, grades, "scope", "openid"), tokensFor(t, k, other, mail)
	must.Do(t, k.Sessions.SignOutEverywhere(ctx, by))
	if isActive(k, here) || isActive(k, alsoHere) || !isActive(k, there) {
		t.Error("the wrong sessions have ended")
	}
	hears(t, k, here, alsoHere)
	must.Do(t, k.Sessions.Revoke(ctx, other, other.Session)) // whoever revokes a browser keeps what works without it
	if hears(t, k, there); !isActive(k, there) {
		t.Error("access without the person has ended with the browser")
	}
}

func endsAtOnce(t *testing.T, k *authkit.Fixture) {
	root, c, by := k.CreateCaller(t, "root@u.edu", user.Owner), addListening(t, k), k.CreateCaller(t, "ann@u.edu", user.Regular)
	own := tokensFor(t, k, by, c)
	var running sync.WaitGroup
	for _, end := range []func() error{
		func() error { return k.Sessions.SignOutEverywhere(ctx, by) },
		func() error { return k.Sessions.SignOutOfAll(ctx, by) },
		func() error { return k.Authorizations.Revoke(ctx, c, own.RefreshToken, appServer) },
		func() error { return must.Err(k.Users.EndSessions(ctx, root, by.ID)) },
		func() error { return must.Err(k.Users.Suspend(ctx, root, by.ID, "rude")) },
	} {
		running.Go(func() {
			if err := end(); err != nil && !errors.Is(err, user.ErrUnauthenticated) {
				t.Error(err)
			}
		})
	}
	running.Wait()
	hears(t, k, own)
}

func removedMeanwhile(t *testing.T, k *authkit.Fixture) {
	gone, silent, by := addListening(t, k), addListening(t, k), k.CreateCaller(t, "ann@u.edu", user.Regular)
	tokensFor(t, k, by, gone)
	tokensFor(t, k, by, silent)
	tokensFor(t, k, by, addClient(t, k, nil)) // never had an address
	must.Do(t, k.Sessions.SignOutEverywhere(ctx, by))
	must.Get(k.Clients.Remove(ctx, admin, gone.ID))(t)
	must.Get2(k.Clients.Update(ctx, admin, silent.ID, func(c *openid.Client) { c.BackchannelLogoutURI = "" }))(t)
	hears(t, k)
	if left := must.Get(k.Store.Jobs.ListJobs(ctx, 10))(t); len(left) != 0 || len(k.LogoutSender.URIs) != 0 {
		t.Errorf("left %+v, sent to %v", left, k.LogoutSender.URIs)
	}
}

func refusingApplication(t *testing.T, k *authkit.Fixture) {
	c, by := addListening(t, k), k.CreateCaller(t, "ann@u.edu", user.Regular)
	tokensFor(t, k, by, c)
	must.Do(t, k.Sessions.SignOutEverywhere(ctx, by))
	k.LogoutSender.Refusal = errors.New("500")
	jobs := must.Get(k.Store.Jobs.ListJobs(ctx, 10))(t)
	if len(jobs) != 1 {
		t.Fatalf("jobs are %+v", jobs)
	}
	for range 2 {
		if err := k.Logouts.Tell(ctx, jobs[0].Args); !errors.Is(err, k.LogoutSender.Refusal) {
			t.Fatalf("a refusal is %v", err)
		}
	}
	if told := k.IDTokens.Logouts; len(told) != 2 || told[0].ID == told[1].ID || k.LogoutSender.URIs[1] != backURI {
		t.Errorf("told %+v at %v", told, k.LogoutSender.URIs)
	}
}

func redeemedTooLate(t *testing.T, k *authkit.Fixture) {
	root, c, by := k.CreateCaller(t, "root@u.edu", user.Owner), addListening(t, k), k.CreateCaller(t, "ann@u.edu", user.Regular)
	code := authorized(t, k, by, parameters(c))
	must.Get(k.Users.EndSessions(ctx, root, by.ID))(t)
	want(t, must.Err(exchange(k, c, code)), openid.ErrInvalidGrant)
	hears(t, k)
}

func newestSignIns(t *testing.T, k *authkit.Fixture) {
	by, until := k.CreateCaller(t, "ann@u.edu", user.Regular), k.Clock.Now().Add(time.Hour)
	signIn := func(id user.SessionID, client string) provider.SignIn {
		return provider.SignIn{Session: id, User: by.ID, Parent: by.Session, Client: client, Until: until}
	}
	change(t, k, func(st provider.Store) error {
		err := st.AddSignIn(ctx, signIn(1, "other"))
		for id := range user.SessionID(provider.MaxSignIns + 2) {
			err = errors.Join(err, st.AddSignIn(ctx, signIn(id+100, "app")))
		}
		return err
	})
	all := must.Get(k.Store.Identity.ListSignIns(ctx, by.ID, by.Session))(t)
	if len(all) != provider.MaxSignIns+1 || all[0] != signIn(1, "other") || all[1] != signIn(102, "app") {
		t.Fatalf("%d are remembered: %+v", len(all), all)
	}
	if others := must.Get(k.Store.Identity.ListSignIns(ctx, by.ID, by.Session+1))(t); len(others) != 0 {
		t.Errorf("another session has %+v", others)
	}
	has := func(of user.ID, from user.SessionID) bool {
		return must.Get(k.Store.Identity.HasSignIns(ctx, of, from))(t)
	}
	if !has(by.ID, by.Session) || !has(by.ID, 102) || has(by.ID, by.Session+1) || has(by.ID+1, by.Session) || has(by.ID+1, 102) {
		t.Error("other sessions have sign-ins, or these have none")
	}
	k.Clock.Advance(time.Hour)
	// Where sessions are in Redis, the sign-ins are in the database all the same.
	sweeper := k.Store.Identity.(interface {
		DeleteExpired(ctx context.Context, now time.Time, n int) (int, error)
	})
	must.Get(sweeper.DeleteExpired(ctx, k.Clock.Now(), 100))(t)
	if left := must.Get(k.Store.Identity.ListSignIns(ctx, by.ID, by.Session))(t); len(left) != 0 {
		t.Errorf("expired ones are left: %+v", left)
	}
}

// at signs ann in at a service, in a session of it.
func at(t *testing.T, k *authkit.Fixture, sid string) user.Caller {
	t.Helper()
	c := ann("1")
	c.SID = sid
	return k.CallerOf(t, must.Get(externalSignIn(t, k, "trusted", c))(t).TokenPair)
}

func isSignedIn(k *authkit.Fixture, by user.Caller) bool {
	return must.Err(k.Store.Sessions.FindSession(ctx, by.ID, by.Session)) == nil
}

func serviceEndsSession(t *testing.T, k *authkit.Fixture) {
	c, here, there := addListening(t, k), at(t, k, "s1"), at(t, k, "s2")
	own, other := tokensFor(t, k, here, c, "scope", "openid"), tokensFor(t, k, there, c, "scope", "openid")
	must.Do(t, k.ServiceLogouts.End(ctx, "doubtful", "j,1,s1", appServer)) // its subjects and sessions are its own
	must.Do(t, k.ServiceLogouts.End(ctx, "trusted", "j,2,s1", appServer))
	if !isSignedIn(k, here) {
		t.Fatal("another service or person has ended the session")
	}
	must.Do(t, k.ServiceLogouts.End(ctx, "trusted", "k,,s1", appServer))
	if isSignedIn(k, here) || isActive(k, own) || !isSignedIn(k, there) || !isActive(k, other) {
		t.Error("the wrong sessions have ended")
	}
	hears(t, k, own)
	app := k.EnableSecondFactor(t, there)
	_, err := externalSignIn(t, k, "trusted", provedAt(identity.Claims{Subject: "1", SID: "s3"}, k.Clock.Now()))
	want(t, err, auth.ErrSecondFactorRequired)
	both := k.CallerOf(t, must.Get(complete(k, fault.As(err).Details["challenge"], app.Next(), authkit.Firefox))(t))
	must.Do(t, k.ServiceLogouts.End(ctx, "trusted", "l,1,s3", appServer))
	if isSignedIn(k, both) || !isSignedIn(k, there) {
		t.Error("a sign-in with a second factor does not end with its service")
	}
}

func serviceEndsPerson(t *testing.T, k *authkit.Fixture) {
	here, there := at(t, k, "s1"), at(t, k, "")
	must.Do(t, k.ServiceLogouts.End(ctx, "trusted", "j,1,", appServer))
	if isSignedIn(k, here) || isSignedIn(k, there) {
		t.Error("a session outlives its person's at the service")
	}
	again := at(t, k, "s1")
	want(t, k.ServiceLogouts.End(ctx, "trusted", "j,1,", appServer), identity.ErrLogoutInvalid)
	want(t, k.ServiceLogouts.End(ctx, "trusted", "nonsense", appServer), identity.ErrLogoutInvalid)
	want(t, k.ServiceLogouts.End(ctx, "unknown", "k,1,", appServer), identity.ErrUnknownProvider)
	if !isSignedIn(k, again) {
		t.Error("a used token ends a session that is younger")
	}
	must.Do(t, k.ServiceLogouts.End(ctx, "trusted", "k,1,", appServer))
	if isSignedIn(k, again) {
		t.Error("another token of the service ends nothing")
	}
}
