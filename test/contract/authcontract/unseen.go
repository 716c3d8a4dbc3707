package authcontract

import (
	"slices"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

// unseenCases are the cases of suspensions by the operator.
func unseenCases(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *authkit.Fixture){
		"the operator suspends one person, but not the last owner":              operatorSuspends,
		"only people who have not come through a service for long are listed":   unseenAreListed,
		"a person who comes through the service meanwhile is not suspended":     unseenComesBack,
		"a person with a second sign-in at the service counts by the later one": unseenWithTwo,
	} {
		t.Run(name, func(t *testing.T) { test(t, authkit.New(t, open(t), nil)) })
	}
}

func operatorSuspends(t *testing.T, k *authkit.Fixture) {
	k.CreateCaller(t, "owner@u.edu", user.Owner)
	k.CreateUser(t, "ann@u.edu")
	g := k.SignIn(t, "ann@u.edu")
	must.Get(k.Users.SuspendByOperator(ctx, "Ann@u.edu", "because"))(t)
	want(t, must.Err(k.Authenticator.Authenticate(ctx, g.AccessToken, authkit.Firefox)), user.ErrUnauthenticated)
	if m := k.LastMail(t, message.Suspended, "ann@u.edu"); m.Params[message.ParamReason] != "because" {
		t.Errorf("the mail is %+v", m)
	}
	want(t, must.Err(k.Users.SuspendByOperator(ctx, "ann@u.edu", "because")), account.ErrAlreadySuspended)
	want(t, must.Err(k.Users.SuspendByOperator(ctx, "owner@u.edu", "because")), account.ErrLastOwner)
	want(t, must.Err(k.Users.SuspendByOperator(ctx, "nobody@u.edu", "because")), user.ErrNotFound)
	want(t, must.Err(k.Users.SuspendByOperator(ctx, "ann@u.edu", "")), user.ErrReasonInvalid)
}

// claimed are the claims of a person by name.
func claimed(name string) identity.Claims {
	return identity.Claims{Subject: name, Email: name + "@u.edu", EmailVerified: true}
}

// unseen lists the people who have not come through a service for 60 days.
func unseen(t *testing.T, k *authkit.Fixture) (all []account.UnseenUser, since time.Time) {
	t.Helper()
	since = k.Clock.Now().Add(-60 * 24 * time.Hour)
	must.Do(t, k.Users.ListUnseen(ctx, "trusted", since, func(one account.UnseenUser) error { all = append(all, one); return nil }))
	return all, since
}

func unseenAreListed(t *testing.T, k *authkit.Fixture) {
	for _, name := range []string{"gone", "owner", "off", "here"} {
		must.Get(externalSignIn(t, k, "trusted", claimed(name)))(t)
	}
	left := k.Clock.Now()
	k.CreateUser(t, "local@u.edu") // without a sign-in there
	must.Get(externalSignIn(t, k, "campus", identity.Claims{Subject: "1", Email: "other@campus.edu", EmailVerified: true}))(t)
	must.Get(k.Users.Promote(ctx, "owner@u.edu", user.Owner))(t)
	must.Get(k.Users.SuspendByOperator(ctx, "off@u.edu", "because"))(t)
	k.Clock.Advance(59 * 24 * time.Hour)
	must.Get(externalSignIn(t, k, "trusted", claimed("here")))(t)
	if all, _ := unseen(t, k); len(all) != 0 {
		t.Errorf("after 59 days %+v are listed", all)
	}
	k.Clock.Advance(2 * 24 * time.Hour)
	all, since := unseen(t, k)
	if len(all) != 1 || all[0].User.Email != "gone@u.edu" || !all[0].LastSeen.Equal(left) {
		t.Fatalf("listed are %+v", all)
	}
	g := must.Get(externalSignIn(t, k, "campus", identity.Claims{Subject: "gone", Email: "gone@campus.edu", EmailVerified: true}))(t)
	if done := must.Get(k.Users.SuspendUnseen(ctx, "trusted", since, all[0]))(t); !done {
		t.Error("nobody was suspended")
	}
	want(t, must.Err(externalSignIn(t, k, "trusted", claimed("gone"))), user.ErrSuspended)
	k.CallerOf(t, g.TokenPair) // somebody else's account
	if all, _ := unseen(t, k); len(all) != 0 {
		t.Errorf("%+v are listed again", all)
	}
	want(t, k.Users.ListUnseen(ctx, "unheard of", since, nil), identity.ErrUnknownProvider)
}

func unseenComesBack(t *testing.T, k *authkit.Fixture) {
	must.Get(externalSignIn(t, k, "trusted", claimed("ann")))(t)
	must.Get(externalSignIn(t, k, "trusted", claimed("bob")))(t)
	k.Clock.Advance(61 * 24 * time.Hour)
	all, since := unseen(t, k)
	if !slices.ContainsFunc(all, func(one account.UnseenUser) bool { return one.User.Email == "ann@u.edu" }) || len(all) != 2 {
		t.Fatalf("listed are %+v", all)
	}
	g := must.Get(externalSignIn(t, k, "trusted", claimed("ann")))(t)
	must.Get(k.Users.Promote(ctx, "bob@u.edu", user.Owner))(t)
	for _, one := range all {
		if done := must.Get(k.Users.SuspendUnseen(ctx, "trusted", since, one))(t); done {
			t.Errorf("%s is suspended", one.User.Email)
		}
	}
	k.CallerOf(t, g.TokenPair)
}

func unseenWithTwo(t *testing.T, k *authkit.Fixture) {
	a := must.Get(externalSignIn(t, k, "trusted", claimed("ann")))(t)
	k.Clock.Advance(61 * 24 * time.Hour)
	owner := k.CreateCaller(t, "owner@u.edu", user.Owner)
	must.Do(t, k.Identities.LinkFor(ctx, owner, a.User.ID, "trusted", "second"))
	if all, _ := unseen(t, k); len(all) != 0 {
		t.Errorf("%+v are listed", all)
	}
}
