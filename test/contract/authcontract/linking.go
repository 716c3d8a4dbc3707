package authcontract

import (
	"context"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/external"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

func saveUser(t *testing.T, k *authkit.Fixture, u user.User) {
	t.Helper()
	must.Do(t, k.Store.Identity.Atomically(ctx, func(ctx context.Context, st auth.Stores) error { return st.SaveUser(ctx, u) }))
}

// proved signs in and proves the caller's identity with the password.
func proved(t *testing.T, k *authkit.Fixture, email string) user.Caller {
	t.Helper()
	by := k.CallerOf(t, k.SignIn(t, email))
	must.Do(t, k.Store.Sessions.ProveSession(ctx, by.ID, by.Session, session.Password, k.Clock.Now()))
	return by
}

// beginLink starts to link claims to the caller's account.
func beginLink(t *testing.T, k *authkit.Fixture, by user.Caller, provider string, c identity.Claims) (external.Ticket, identity.Answer) {
	t.Helper()
	d := must.Get(k.Identities.BeginLink(ctx, by, identity.Place{Provider: provider}, "/account"))(t)
	k.ProviderClient.Put("link"+d.Ticket.State, c)
	return d.Ticket, identity.Answer{Code: "link" + d.Ticket.State, State: d.Ticket.State}
}

func linking(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@u.edu")
	unproved := k.CallerOf(t, k.SignIn(t, "ann@u.edu"))
	k.Clock.Advance(session.ProofLifetime)
	want(t, must.Err(k.Identities.BeginLink(ctx, unproved, identity.Place{Provider: "doubtful"}, "/")), user.ErrProofNeeded)
	want(t, must.Err(k.Identities.BeginLink(ctx, user.Caller{}, identity.Place{Provider: "doubtful"}, "/")), user.ErrUnauthenticated)
	by := proved(t, k, "ann@u.edu")
	limited := by
	limited.Client = "an app"
	want(t, must.Err(k.Identities.BeginLink(ctx, limited, identity.Place{Provider: "doubtful"}, "/")), user.ErrForbidden)

	// The address does not matter: the account's owner chose the identity.
	ticket, answer := beginLink(t, k, by, "doubtful", identity.Claims{Subject: "1", Email: "private@elsewhere.org"})
	a := must.Get(k.Identities.Finish(ctx, ticket, answer, user.EN, authkit.Firefox))(t)
	if !a.Linked || a.AccessToken != "" || a.Next != "/account" {
		t.Fatalf("the result is %+v", a)
	}
	if m := k.LastMail(t, message.IdentityLinked, "ann@u.edu"); m.Params[message.ParamProvider] != "Doubtful Ltd" {
		t.Fatalf("mail is %+v", m)
	}
	in := must.Get(externalSignIn(t, k, "doubtful", identity.Claims{Subject: "1", Email: "private@elsewhere.org"}))(t)
	if in.User.ID != by.ID {
		t.Fatalf("signed in as %+v", in.User)
	}

	ticket, answer = beginLink(t, k, by, "trusted", ann("2"))
	must.Do(t, k.Sessions.Revoke(ctx, by, by.Session))
	want(t, must.Err(k.Identities.Finish(ctx, ticket, answer, user.EN, authkit.Firefox)), user.ErrUnauthenticated)
	by = proved(t, k, "ann@u.edu")
	ticket, answer = beginLink(t, k, by, "campus", ann("3"))
	want(t, must.Err(k.Identities.Finish(ctx, ticket, answer, user.EN, authkit.Firefox)), identity.ErrDomainRefused)
}

func linkingTaken(t *testing.T, k *authkit.Fixture) {
	first := must.Get(externalSignIn(t, k, "trusted", ann("1")))(t)
	k.CreateUser(t, "eve@u.edu")
	eve := proved(t, k, "eve@u.edu")
	ticket, answer := beginLink(t, k, eve, "trusted", ann("1"))
	want(t, must.Err(k.Identities.Finish(ctx, ticket, answer, user.EN, authkit.Firefox)), identity.ErrTaken)
	again := must.Get(externalSignIn(t, k, "trusted", ann("1")))(t)
	if again.User.ID != first.User.ID {
		t.Fatalf("the identity moved to %+v", again.User)
	}
	// Nor does a ticket for linking sign in, not even for Eve herself.
	ticket, answer = beginLink(t, k, eve, "trusted", ann("2"))
	a := must.Get(k.Identities.Finish(ctx, ticket, answer, user.EN, authkit.Firefox))(t)
	if a.AccessToken != "" {
		t.Fatalf("the result is %+v", a)
	}
}

func unlinking(t *testing.T, k *authkit.Fixture) {
	a := must.Get(externalSignIn(t, k, "trusted", provedAt(ann("1"), k.Clock.Now())))(t)
	by := k.CallerOf(t, a.TokenPair)
	mine := must.Get(k.Identities.List(ctx, by))(t)
	want(t, k.Identities.Unlink(ctx, by, mine[0].ID), auth.ErrLastSignIn)
	if left, err := k.Identities.List(ctx, by); err != nil || len(left) != 1 {
		t.Fatalf("identities are %+v, %v", left, err)
	}
	ticket, answer := beginLink(t, k, by, "doubtful", ann("1"))
	must.Get(k.Identities.Finish(ctx, ticket, answer, user.EN, authkit.Firefox))(t)
	must.Do(t, k.Identities.Unlink(ctx, by, mine[0].ID))
	want(t, k.Identities.Unlink(ctx, by, mine[0].ID), identity.ErrNotFound)
	left := must.Get(k.Identities.List(ctx, by))(t)
	if len(left) != 1 || left[0].Provider != "doubtful" {
		t.Fatalf("identities are %+v", left)
	}
	want(t, k.Identities.Unlink(ctx, by, left[0].ID), auth.ErrLastSignIn)
	u := must.Get(k.Store.Identity.FindUser(ctx, by.ID))(t)
	u.PasswordHash = "x"
	saveUser(t, k, u)
	must.Do(t, k.Identities.Unlink(ctx, by, left[0].ID))
	k.Clock.Advance(10 * time.Minute)
	want(t, k.Identities.Unlink(ctx, by, left[0].ID), user.ErrProofNeeded)
}

func foreignIdentities(t *testing.T, k *authkit.Fixture) {
	a := must.Get(externalSignIn(t, k, "trusted", ann("1")))(t)
	mine := must.Get(k.Identities.List(ctx, k.CallerOf(t, a.TokenPair)))(t)
	root := k.CreateCaller(t, "root@u.edu", user.Owner)
	must.Do(t, k.Store.Sessions.ProveSession(ctx, root.ID, root.Session, session.Password, k.Clock.Now()))
	want(t, k.Identities.Unlink(ctx, root, mine[0].ID), identity.ErrNotFound)
	if all, err := k.Identities.List(ctx, root); err != nil || len(all) != 0 {
		t.Fatalf("identities are %+v, %v", all, err)
	}
	want(t, k.Identities.Unlink(ctx, user.Caller{}, mine[0].ID), user.ErrUnauthenticated)
	want(t, must.Err(k.Identities.List(ctx, user.Caller{})), user.ErrUnauthenticated)
}

func unknownProvider(t *testing.T, k *authkit.Fixture) {
	for _, name := range []string{"", "nobody", "Trusted"} {
		want(t, must.Err(k.Identities.Begin(ctx, identity.Place{Provider: name}, "/", identity.Freshness{}, authkit.Firefox)), identity.ErrUnknownProvider)
	}
	k.ProviderClient.Refusal = identity.ErrUnreachable
	want(t, must.Err(k.Identities.Begin(ctx, identity.Place{Provider: "trusted"}, "/", identity.Freshness{}, authkit.Firefox)), identity.ErrUnreachable)
}
