package authcontract

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

// privacyCases are the cases of the first owner, and of requests that are answered for somebody else.
func privacyCases(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *authkit.Fixture){
		"a link of the operator opens the account of the first owner": firstOwner,
		"the operator and owners export for somebody else":            exportedForOthers,
		"deleted accounts are listed, and deleted again":              deletedAgain,
	} {
		t.Run(name, func(t *testing.T) { test(t, authkit.New(t, open(t), nil)) })
	}
}

func firstOwner(t *testing.T, k *authkit.Fixture) {
	token := func() string {
		link := must.Get(k.Invitations.InviteOwner(ctx, "Olivia@example.edu"))(t)
		_, token, _ := strings.Cut(link, "token=")
		return token
	}
	first, second := token(), token()
	password := "a long password of the owner"
	want(t, must.Err(k.Invitations.Accept(ctx, first, &password, authkit.Firefox)), challenge.ErrCodeInvalid) // it was replaced
	g := must.Get(k.Invitations.Accept(ctx, second, &password, authkit.Firefox))(t)
	by := must.Get(k.Authenticator.Authenticate(ctx, g.AccessToken, authkit.Firefox))(t)
	if by.Role != user.Owner || g.User.Email != "olivia@example.edu" {
		t.Errorf("%+v is signed in, %+v", g.User, by)
	}
	want(t, must.Err(k.Invitations.Accept(ctx, second, &password, authkit.Firefox)), challenge.ErrCodeInvalid)
	want(t, must.Err(k.Invitations.InviteOwner(ctx, "olivia@example.edu")), account.ErrAlreadyVerified)
	must.Get(k.Invitations.InviteOwner(ctx, "oscar@example.edu"))(t) // who is no owner before he has come
	want(t, must.Err(k.Users.DeleteByOperator(ctx, "olivia@example.edu")), account.ErrLastOwner)
}

func exportedForOthers(t *testing.T, k *authkit.Fixture) {
	ann := k.CreateUser(t, "ann@u.edu")
	k.CreateCaller(t, "owner@u.edu", user.Owner)
	owner := proved(t, k, "owner@u.edu")
	for who, data := range map[string]json.RawMessage{
		"the operator": must.Get(k.Exports.OfAddress(ctx, "ann@u.edu"))(t), "an owner": must.Get(k.Exports.Of(ctx, owner, ann.ID))(t),
	} {
		if text := string(data); !strings.Contains(text, "ann@u.edu") || strings.Contains(text, "owner@u.edu") {
			t.Errorf("%s gets %s", who, text)
		}
	}
	log := must.Get(k.Users.AuditLog(ctx, owner, account.AuditQuery{AuditFilter: account.AuditFilter{User: ann.ID, Action: "user.exported"}, First: 10}))(t)
	if len(log.Entries) != 2 || log.Entries[0].Actor == log.Entries[1].Actor {
		t.Errorf("the audit log has %+v", log.Entries)
	}
	admin := k.CreateCaller(t, "admin@u.edu", user.Admin)
	want(t, must.Err(k.Exports.Of(ctx, admin, ann.ID)), user.ErrForbidden)
	want(t, must.Err(k.Exports.OfAddress(ctx, "nobody@u.edu")), user.ErrNotFound)
}

func deletedAgain(t *testing.T, k *authkit.Fixture) {
	k.CreateCaller(t, "owner@u.edu", user.Owner)
	ann, bob := k.CreateUser(t, "ann@u.edu"), k.CreateUser(t, "bob@u.edu")
	began := k.Clock.Now()
	must.Get(k.Users.DeleteByOperator(ctx, "Ann@u.edu"))(t)
	want(t, must.Err(k.Users.DeleteByOperator(ctx, "owner@u.edu")), account.ErrLastOwner)
	var listed []user.ID
	note := func(d account.Deletion) error { listed = append(listed, d.User); return nil }
	must.Do(t, k.Users.Deletions(ctx, began, note))
	must.Do(t, k.Users.Deletions(ctx, k.Clock.Now().Add(time.Hour), note))
	if len(listed) != 1 || listed[0] != ann.ID {
		t.Errorf("listed are %v", listed)
	}
	for id, want := range map[user.ID]bool{ann.ID: false, bob.ID: true} { // ann is deleted, bob has come back
		if again := must.Get(k.Users.DeleteAgain(ctx, id))(t); again != want {
			t.Errorf("%v: %v", id, again)
		}
	}
	want(t, must.Err(k.Users.FindByAddress(ctx, "bob@u.edu")), user.ErrNotFound)
}
