package authcontract

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/fake"
	"github.com/octavo-books/octavo/test/must"
)

func eventCases(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *authkit.Fixture){
		"an account has events from its sign-up to its deletion":                 eventsOfAnAccount,
		"an invited account is created first and verified later":                 eventsOfAnInvitation,
		"a session has an event at its start and one with the reason at its end": eventsOfASession,
		"a session that makes room for a newer one has ended":                    eventsOfAnEviction,
		"a new password ends the other sessions":                                 eventsOfAPassword,
		"a call that is refused or changes nothing has no event":                 noEventsOfRefusals,
		"an import has no events":                                                noEventsOfAnImport,
		"no event contains a code, a token, a hash, a password or a name":        eventsWithoutSecrets,
	} {
		t.Run(name, func(t *testing.T) { test(t, authkit.New(t, open(t), nil)) })
	}
	t.Run("without a webhook service there are no events", func(t *testing.T) {
		k := authkit.New(t, open(t), func(_ *authrooms.Ports, c *auth.Config) { c.PublishEvents = false })
		exerciseEvents(t, k)
		if all := fake.PeekEvents(t, k.Store.Events); len(all) != 0 {
			t.Errorf("%d events, want 0", len(all))
		}
	})
}

// accountEvent is the body of an event of auth.
type accountEvent struct {
	ID, Type  string
	Timestamp time.Time
	Data      struct {
		UserID, SessionID, Reason string
		NewDevice                 bool
	}
}

// eventsOf returns the events about an account.
func eventsOf(t *testing.T, k *authkit.Fixture, of user.ID) (all []accountEvent) {
	t.Helper()
	for _, e := range fake.PeekEvents(t, k.Store.Events) {
		var b accountEvent
		must.Do(t, json.Unmarshal(e.Body, &b))
		if b.ID != e.ID.String() || b.Type != string(e.Type) || b.Timestamp.After(k.Clock.Now()) || b.Timestamp.Before(monday.Add(-100*time.Hour)) {
			t.Errorf("event %d %s has the body %s", e.ID, e.Type, e.Body)
		}
		if b.Data.UserID == of.String() {
			all = append(all, b)
		}
	}
	return all
}

// happened lists types, with the reason or device.
func happened(all []accountEvent) []string {
	list := []string{}
	for _, e := range all {
		what := e.Type
		if e.Data.Reason != "" {
			what += " " + e.Data.Reason
		}
		if e.Data.NewDevice {
			what += " new"
		}
		list = append(list, what)
	}
	return list
}

func wantEvents(t *testing.T, k *authkit.Fixture, of user.ID, list ...string) {
	t.Helper()
	if got := happened(eventsOf(t, k, of)); !slices.Equal(got, list) {
		t.Errorf("events are %q, want %q", got, list)
	}
}

func eventsOfAnAccount(t *testing.T, k *authkit.Fixture) {
	admin := k.CreateCaller(t, "root@example.org", user.Admin)
	signUp(t, k, "ann@example.org", authkit.Password)
	before := len(fake.PeekEvents(t, k.Store.Events))
	must.Do(t, k.Accounts.VerifyEmail(ctx, "ann@example.org", k.LastMail(t, message.Verification, "ann@example.org").Code, authkit.Firefox))
	if n := len(fake.PeekEvents(t, k.Store.Events)); n != before+2 {
		t.Errorf("%d events at the confirmation", n-before)
	}
	u := must.Get(k.Store.Identity.FindUserByEmail(ctx, "ann@example.org"))(t)
	k.SignIn(t, "ann@example.org")
	must.Get(k.Users.Delete(ctx, admin, []user.ID{u.ID}))(t)
	// user.deleted says that all sessions have ended.
	wantEvents(t, k, u.ID, "user.created", "user.verified", "session.started new", "user.deleted")
}

func eventsOfAnInvitation(t *testing.T, k *authkit.Fixture) {
	admin := k.CreateCaller(t, "root@example.org", user.Admin)
	_, _ = invite(t, k, admin, "ann@example.org")
	k.Clock.Advance(time.Hour)
	id, token := invite(t, k, admin, "ann@example.org") // again
	wantEvents(t, k, id, "user.created")
	password := authkit.Password
	must.Get(k.Invitations.Accept(ctx, token, &password, authkit.Firefox))(t)
	wantEvents(t, k, id, "user.created", "user.verified", "session.started new")
}

func eventsOfASession(t *testing.T, k *authkit.Fixture) {
	admin := k.CreateCaller(t, "root@example.org", user.Admin)
	u := k.CreateUser(t, "ann@example.org")
	var started []string
	signedIn := func() auth.TokenPair {
		g := k.SignIn(t, "ann@example.org")
		started = append(started, g.Session.ID.String())
		return g
	}
	must.Do(t, k.Sessions.SignOut(ctx, k.CallerOf(t, signedIn())))
	other := signedIn()
	by := k.CallerOf(t, signedIn())
	must.Do(t, k.Sessions.Revoke(ctx, by, other.Session.ID))
	stolen := signedIn()
	refresh(t, k, refresh(t, k, stolen.RefreshToken).RefreshToken)
	want(t, must.Err(k.Sessions.Refresh(ctx, stolen.RefreshToken, authkit.Chrome)), session.ErrInvalid)
	_, err := k.Users.EndSessions(ctx, admin, u.ID) // that of by
	must.Do(t, err)
	wantEvents(t, k, u.ID, "user.created", "user.verified",
		"session.started new", "session.ended signed_out", "session.started", "session.started", "session.ended revoked",
		"session.started", "session.ended token_reused", "session.ended admin")
	for _, id := range started {
		n := 0
		for _, e := range eventsOf(t, k, u.ID) {
			if e.Data.SessionID == id {
				n++
			}
		}
		if n != 2 {
			t.Errorf("session %s has %d events, not a start and an end", id, n)
		}
	}
}

func eventsOfAnEviction(t *testing.T, k *authkit.Fixture) {
	u := k.CreateUser(t, "ann@example.org")
	first := k.SignIn(t, "ann@example.org")
	for range k.Config.MaxSessions {
		k.Clock.Advance(time.Minute)
		k.SignIn(t, "ann@example.org")
	}
	var ended []accountEvent
	for _, e := range eventsOf(t, k, u.ID) {
		if e.Type == string(event.SessionEnded) {
			ended = append(ended, e)
		}
	}
	if len(ended) != 1 || ended[0].Data.SessionID != first.Session.ID.String() || ended[0].Data.Reason != "superseded" {
		t.Errorf("ended: %+v", ended)
	}
}

func eventsOfAPassword(t *testing.T, k *authkit.Fixture) {
	admin := k.CreateCaller(t, "root@example.org", user.Admin)
	u := k.CreateUser(t, "ann@example.org")
	other, own := k.SignIn(t, "ann@example.org"), k.SignIn(t, "ann@example.org")
	ended := func() (ids []string) {
		for _, e := range eventsOf(t, k, u.ID) {
			if e.Type == string(event.SessionEnded) && e.Data.Reason == string(event.PasswordChanged) {
				ids = append(ids, e.Data.SessionID)
			}
		}
		return ids
	}
	must.Do(t, k.Passwords.Change(ctx, k.CallerOf(t, own), authkit.Password, otherPassword))
	expected := []string{other.Session.ID.String()}
	if got := ended(); !slices.Equal(got, expected) {
		t.Errorf("a change ended %v, want %v", got, expected)
	}
	must.Do(t, k.Passwords.RequestReset(ctx, "ann@example.org", user.EN, authkit.Firefox))
	must.Do(t, k.Passwords.Reset(ctx, "ann@example.org", k.LastMail(t, message.PasswordReset, "ann@example.org").Code, authkit.Password, authkit.Firefox))
	expected = append(expected, own.Session.ID.String())
	if got := ended(); !slices.Equal(got, expected) {
		t.Errorf("a reset ended %v, want %v", got, expected)
	}
	expected = append(expected, k.SignIn(t, "ann@example.org").Session.ID.String())
	must.Do(t, k.Users.SetPassword(ctx, admin, u.ID, otherPassword))
	if got := ended(); !slices.Equal(got, expected) {
		t.Errorf("an admin's password ended %v, want %v", got, expected)
	}
}

func noEventsOfRefusals(t *testing.T, k *authkit.Fixture) {
	u := k.CreateUser(t, "ann@example.org")
	by := k.CallerOf(t, k.SignIn(t, "ann@example.org"))
	before := len(fake.PeekEvents(t, k.Store.Events))
	signUp(t, k, "ann@example.org", otherPassword) // taken
	signUp(t, k, "new@example.org", otherPassword) // not confirmed
	want(t, k.Accounts.VerifyEmail(ctx, "new@example.org", "00000000", authkit.Firefox), challenge.ErrCodeInvalid)
	want(t, must.Err(signIn(k, "ann@example.org", otherPassword, authkit.Firefox)), auth.ErrInvalidCredentials)
	want(t, k.Sessions.Revoke(ctx, by, 12345), session.ErrNotFound)
	want(t, must.Err(k.Users.Delete(ctx, by, []user.ID{u.ID})), user.ErrForbidden)
	if n := len(fake.PeekEvents(t, k.Store.Events)); n != before {
		t.Errorf("%d events of calls that changed nothing", n-before)
	}
}

func noEventsOfAnImport(t *testing.T, k *authkit.Fixture) {
	must.Get(k.Users.Import(ctx, strings.NewReader("old@example.org,x:"+authkit.Password+"\n"), account.ImportOptions{}))(t)
	if all := fake.PeekEvents(t, k.Store.Events); len(all) != 0 {
		t.Errorf("events are %v", all)
	}
}

// exerciseEvents does everything that has an event, and returns every secret and personal text.
func exerciseEvents(t *testing.T, k *authkit.Fixture) (secrets []string) {
	personal := []string{"Ann", "Byron", "CPU 7", "pay-ann", "192.0.2.7", "Firefox", "Mozilla"}
	admin := k.CreateCaller(t, "root@example.org", user.Admin)
	must.Do(t, k.Accounts.SignUp(ctx, account.SignUpRequest{
		Email: "ann@campus.edu", Password: authkit.Password, ByLink: true, From: authkit.Firefox,
		Profile: &user.Profile{FirstName: "Ann", LastName: "Byron", University: "Campus", CampusMailbox: "CPU 7", PaymentUsername: "pay-ann"},
	}))
	link := k.LastMail(t, message.Verification, "ann@campus.edu").Link
	must.Do(t, k.Accounts.ConfirmLink(ctx, link[strings.LastIndex(link, "/")+1:], "", authkit.Firefox))
	g := k.SignIn(t, "ann@campus.edu")
	next := refresh(t, k, g.RefreshToken)
	must.Do(t, k.Passwords.Change(ctx, k.CallerOf(t, next), authkit.Password, otherPassword))
	must.Do(t, k.Passwords.RequestReset(ctx, "ann@campus.edu", user.EN, authkit.Firefox))
	code := k.LastMail(t, message.PasswordReset, "ann@campus.edu").Code
	must.Do(t, k.Passwords.Reset(ctx, "ann@campus.edu", code, authkit.Password, authkit.Firefox))
	last := k.SignIn(t, "ann@campus.edu")
	must.Do(t, k.Sessions.SignOut(ctx, k.CallerOf(t, last)))
	_, token := invite(t, k, admin, "bob@example.org")
	password := otherPassword
	accepted := must.Get(k.Invitations.Accept(ctx, token, &password, authkit.Firefox))(t)
	u := must.Get(k.Store.Identity.FindUser(ctx, g.User.ID))(t)
	must.Get(k.Users.EndSessions(ctx, admin, accepted.User.ID))(t)
	must.Get(k.Users.Delete(ctx, admin, []user.ID{u.ID, accepted.User.ID}))(t)
	secrets = slices.Concat(personal, []string{authkit.Password, otherPassword, u.PasswordHash, code, token, link, "@", "campus.edu", "plain:"})
	for _, g := range []auth.TokenPair{g, next, last, accepted} {
		secrets = append(secrets, g.AccessToken, g.RefreshToken)
	}
	for _, m := range k.Store.Messages() {
		secrets = append(secrets, m.Code, m.Link)
	}
	return secrets
}

func eventsWithoutSecrets(t *testing.T, k *authkit.Fixture) {
	secrets := exerciseEvents(t, k)
	all := fake.PeekEvents(t, k.Store.Events)
	if len(all) < 12 {
		t.Fatalf("only %d events", len(all))
	}
	for _, e := range all {
		for _, s := range secrets {
			if s != "" && strings.Contains(string(e.Body), s) {
				t.Errorf("%s contains %q: %s", e.Type, s, e.Body)
			}
		}
	}
}
