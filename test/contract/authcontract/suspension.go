package authcontract

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

func suspensionCases(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *authkit.Fixture){
		"a name and the language of mails are changed one by one":            updateMe,
		"metadata is set by admins and is in the next access token":          metadata,
		"suspending ends every session, and its reason is mailed":            suspend,
		"a suspended account is sent no codes and cannot use older ones":     suspendedCodes,
		"only the owner learns, after a proof, that an account is suspended": suspendedRevealsNothing,
		"nobody suspends themselves, the last owner or a superior":           suspendRules,
		"two owners who suspend each other leave one":                        suspendEachOther,
		"a sign-in during the suspension gets no session that works":         suspendDuringSignIn,
		"an unsuspended user signs in again":                                 unsuspend,
		"an invitation of a suspended admin is void":                         suspendedInviter,
		"an invited account that is suspended cannot be opened":              suspendedInvited,
	} {
		t.Run(name, func(t *testing.T) { test(t, authkit.New(t, open(t), nil)) })
	}
}

func updateMe(t *testing.T, k *authkit.Fixture) {
	ann := k.CreateCaller(t, "ann@example.org", user.Regular)
	fr := user.FR
	u := must.Get(k.Users.Update(ctx, ann, new(" Ann\u200b Lee "), nil))(t)
	if u.Name != "Ann Lee" || u.Lang != user.EN {
		t.Fatalf("user is %+v", u)
	}
	u = must.Get(k.Users.Update(ctx, ann, nil, &fr))(t)
	if u.Name != "Ann Lee" || u.Lang != user.FR {
		t.Fatalf("user is %+v", u)
	}
	for _, bad := range []string{"a\x00b", "a\nb", strings.Repeat("x", 101)} {
		want(t, must.Err(k.Users.Update(ctx, ann, &bad, nil)), user.ErrNameInvalid)
	}
	u = must.Get(k.Users.Update(ctx, ann, new(""), nil))(t)
	if me, err := k.Users.Me(ctx, ann); err != nil || u.Name != "" || me.Name != "" || me.Lang != user.FR {
		t.Fatalf("user is %+v, %v", me, err)
	}
	want(t, must.Err(k.Users.Update(ctx, user.Caller{}, new("x"), nil)), user.ErrUnauthenticated)
	ann.Client = "an application"
	want(t, must.Err(k.Users.Update(ctx, ann, new("x"), nil)), user.ErrForbidden)
}

func metadata(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	g := k.SignIn(t, "ann@example.org")
	ann := k.CallerOf(t, g)
	admin, peer := k.CreateCaller(t, "root@example.org", user.Admin), k.CreateCaller(t, "peer@example.org", user.Admin)
	want(t, must.Err(k.Users.SetMetadata(ctx, ann, ann.ID, `{}`)), user.ErrForbidden)
	want(t, must.Err(k.Users.SetMetadata(ctx, admin, peer.ID, `{}`)), user.ErrForbidden)
	want(t, must.Err(k.Users.SetMetadata(ctx, admin, 999_999, `{}`)), user.ErrNotFound)
	for _, bad := range []string{`[]`, `{"a":1,"a":2}`, `{"a":1e999}`, `{"a":"` + strings.Repeat("x", 1024) + `"}`} {
		want(t, must.Err(k.Users.SetMetadata(ctx, admin, ann.ID, bad)), user.ErrMetadataInvalid)
	}
	u := must.Get(k.Users.SetMetadata(ctx, admin, ann.ID, `{ "plan": "gold" }`))(t)
	if u.Metadata != `{"plan":"gold"}` {
		t.Fatalf("metadata is %q", u.Metadata)
	}
	next := refresh(t, k, g.RefreshToken)
	if next.User.Metadata != u.Metadata {
		t.Fatalf("after a refresh: %+v", next.User)
	}
	if n := auditActions(t, k, ann.ID)["user.metadata_set"]; n != 1 {
		t.Fatalf("%d audit entries, want 1", n)
	}
	u = must.Get(k.Users.SetMetadata(ctx, admin, ann.ID, `{}`))(t)
	if u.Metadata != "" {
		t.Fatalf("metadata is %q", u.Metadata)
	}
}

func suspendAs(t *testing.T, k *authkit.Fixture, by user.Caller, id user.ID) {
	t.Helper()
	u := must.Get(k.Users.Suspend(ctx, by, id, "sold a book that was not theirs"))(t)
	if !u.Suspended() {
		t.Fatalf("user is %+v", u)
	}
}

func suspend(t *testing.T, k *authkit.Fixture) {
	admin := k.CreateCaller(t, "root@example.org", user.Admin)
	ann := k.CreateUser(t, "ann@example.org")
	sessions := []auth.TokenPair{k.SignIn(t, "ann@example.org"), k.SignIn(t, "ann@example.org")}
	for range 2 { // the second time changes nothing
		suspendAs(t, k, admin, ann.ID)
	}
	for _, g := range sessions {
		want(t, must.Err(k.Authenticator.Authenticate(ctx, g.AccessToken, authkit.Firefox)), user.ErrUnauthenticated)
		want(t, must.Err(k.Sessions.Refresh(ctx, g.RefreshToken, authkit.Firefox)), session.ErrInvalid)
		if info, err := k.Authenticator.Introspect(ctx, g.AccessToken); err != nil || info.Active {
			t.Fatalf("token info is %+v, %v", info, err)
		}
	}
	mails := k.Mails(message.Suspended, "ann@example.org")
	if len(mails) != 1 || mails[0].Params[message.ParamReason] != "sold a book that was not theirs" {
		t.Fatalf("mails are %+v", mails)
	}
	if n := auditActions(t, k, ann.ID)["user.suspended"]; n != 1 {
		t.Fatalf("%d audit entries, want 1", n)
	}
	wantEvents(t, k, ann.ID, "user.created", "user.verified", "session.started new", "session.started", "user.suspended", "session.ended admin", "session.ended admin")
}

func suspendedCodes(t *testing.T, k *authkit.Fixture) {
	admin := k.CreateCaller(t, "root@example.org", user.Admin)
	ann := k.CreateUser(t, "ann@example.org")
	k.SignIn(t, "ann@example.org")
	askReset(t, k, authkit.Firefox)
	askCode(t, k, "ann@example.org", authkit.Firefox)
	resetCode, signInCode := k.LastMail(t, message.PasswordReset, "ann@example.org").Code, k.LastMail(t, message.SignInCode, "ann@example.org").Code
	suspendAs(t, k, admin, ann.ID)
	before := len(k.Store.Messages())
	want(t, reset(k, resetCode, authkit.Firefox), challenge.ErrCodeInvalid)
	wantCode(t, k, "ann@example.org", signInCode, authkit.Firefox, challenge.ErrCodeInvalid)
	k.Clock.Advance(time.Hour)
	askReset(t, k, authkit.Firefox)
	askCode(t, k, "ann@example.org", authkit.Firefox)
	if n := len(k.Store.Messages()) - before; n != 0 {
		t.Fatalf("%d mails were sent, want 0", n)
	}
}

func suspendedRevealsNothing(t *testing.T, k *authkit.Fixture) {
	admin := k.CreateCaller(t, "root@example.org", user.Admin)
	ann := k.CreateUser(t, "ann@example.org")
	suspendAs(t, k, admin, ann.ID)
	want(t, must.Err(signIn(k, "ann@example.org", "a wrong password", authkit.Chrome)), auth.ErrInvalidCredentials)
	wantCode(t, k, "ann@example.org", "12345678", authkit.Chrome, challenge.ErrCodeInvalid)
	want(t, must.Err(signIn(k, "ann@example.org", authkit.Password, authkit.Chrome)), user.ErrSuspended)
	if all, err := k.Store.Sessions.ListSessions(ctx, ann.ID); err != nil || len(all) != 0 {
		t.Fatalf("sessions %+v, %v", all, err)
	}
}

func suspendRules(t *testing.T, k *authkit.Fixture) {
	owner := k.CreateCaller(t, "owner@example.org", user.Owner)
	admin, peer := k.CreateCaller(t, "root@example.org", user.Admin), k.CreateCaller(t, "peer@example.org", user.Admin)
	ann := k.CreateCaller(t, "ann@example.org", user.Regular)
	for name, c := range map[string]struct {
		by     user.Caller
		id     user.ID
		target error
	}{
		"nobody":                  {user.Caller{}, ann.ID, user.ErrUnauthenticated},
		"a regular user":          {ann, admin.ID, user.ErrForbidden},
		"an admin of an admin":    {admin, peer.ID, user.ErrForbidden},
		"an admin of an owner":    {admin, owner.ID, user.ErrForbidden},
		"the owner of themselves": {owner, owner.ID, account.ErrCannotSuspendSelf},
		"an unknown user":         {owner, 999_999, user.ErrNotFound},
	} {
		_, err := k.Users.Suspend(ctx, c.by, c.id, "because")
		if !errors.Is(err, c.target) {
			t.Errorf("%s: %v, want %v", name, err, c.target)
		}
	}
	_, err := k.Users.Suspend(ctx, admin, admin.ID, "because")
	if err == nil {
		t.Error("an admin suspended themselves")
	}
	want(t, must.Err(k.Users.Unsuspend(ctx, admin, peer.ID)), user.ErrForbidden)
	want(t, must.Err(k.Users.Suspend(ctx, admin, ann.ID, " ")), user.ErrReasonInvalid)
	suspendAs(t, k, owner, peer.ID)
}

func suspendEachOther(t *testing.T, k *authkit.Fixture) {
	both := []user.Caller{k.CreateCaller(t, "one@example.org", user.Owner), k.CreateCaller(t, "two@example.org", user.Owner)}
	errs := make([]error, 2)
	must.Together(2, func(i int) { _, errs[i] = k.Users.Suspend(ctx, both[i], both[1-i].ID, "because") })
	if (errs[0] == nil) == (errs[1] == nil) {
		t.Fatalf("%v, %v", errs[0], errs[1])
	}
	want(t, errors.Join(errs...), account.ErrLastOwner)
	remaining := both[0]
	if errs[0] != nil {
		remaining = both[1]
	}
	_, err := k.Users.SetRole(ctx, remaining, remaining.ID, user.Regular)
	want(t, err, account.ErrLastOwner) // the other owner can do nothing
}

func suspendDuringSignIn(t *testing.T, k *authkit.Fixture) {
	admin := k.CreateCaller(t, "root@example.org", user.Admin)
	ann := k.CreateUser(t, "ann@example.org")
	const signIns = 6
	grants, errs := make([]auth.TokenPair, signIns), make([]error, signIns+1)
	must.Together(signIns+1, func(i int) {
		if i == signIns {
			_, errs[i] = k.Users.Suspend(ctx, admin, ann.ID, "because")
			return
		}
		grants[i], errs[i] = signIn(k, "ann@example.org", authkit.Password, authkit.Firefox)
	})
	must.Do(t, errs[signIns])
	for i, g := range grants {
		if errs[i] != nil {
			want(t, errs[i], user.ErrSuspended)
			continue
		}
		want(t, must.Err(k.Authenticator.Authenticate(ctx, g.AccessToken, authkit.Firefox)), user.ErrUnauthenticated)
		want(t, must.Err(k.Sessions.Refresh(ctx, g.RefreshToken, authkit.Firefox)), session.ErrInvalid)
	}
}

func unsuspend(t *testing.T, k *authkit.Fixture) {
	admin := k.CreateCaller(t, "root@example.org", user.Admin)
	ann := k.CreateUser(t, "ann@example.org")
	g := k.SignIn(t, "ann@example.org")
	suspendAs(t, k, admin, ann.ID)
	for range 2 {
		u := must.Get(k.Users.Unsuspend(ctx, admin, ann.ID))(t)
		if u.Suspended() {
			t.Fatalf("user is %+v", u)
		}
	}
	_, err := k.Authenticator.Authenticate(ctx, g.AccessToken, authkit.Firefox)
	want(t, err, user.ErrUnauthenticated) // the old sessions remain revoked
	k.CallerOf(t, k.SignIn(t, "ann@example.org"))
	if n := auditActions(t, k, ann.ID)["user.unsuspended"]; n != 1 {
		t.Fatalf("%d audit entries, want 1", n)
	}
}

func suspendedInviter(t *testing.T, k *authkit.Fixture) {
	owner, admin := k.CreateCaller(t, "owner@example.org", user.Owner), k.CreateCaller(t, "root@example.org", user.Admin)
	_, token := invite(t, k, admin, "ann@example.org")
	suspendAs(t, k, owner, admin.ID)
	if open, err := k.Invitations.Open(ctx, owner); err != nil || len(open) != 0 {
		t.Fatalf("open: %+v, %v", open, err)
	}
	want(t, must.Err(k.Invitations.Accept(ctx, token, nil, authkit.Firefox)), challenge.ErrCodeInvalid)
}

func suspendedInvited(t *testing.T, k *authkit.Fixture) {
	admin := k.CreateCaller(t, "root@example.org", user.Admin)
	id, token := invite(t, k, admin, "ann@example.org")
	suspendAs(t, k, admin, id)
	want(t, must.Err(k.Invitations.Accept(ctx, token, nil, authkit.Firefox)), user.ErrSuspended)
	must.Get(k.Users.Unsuspend(ctx, admin, id))(t)
	must.Get(k.Invitations.Accept(ctx, token, nil, authkit.Firefox))(t)
}
