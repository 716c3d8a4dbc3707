package auth_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/auth/signin"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
	"pgregory.net/rapid"
)

// signedIn is the model of one session: the session by the domain's rules, every token
// pair it was given, and whether anything has revoked it.
type signedIn struct {
	session.Session
	tokens []auth.TokenPair // by the number of the refresh token
	ended  bool
}

// machine runs the use cases beside a model of one user's sessions.
type machine struct {
	kit      *authkit.Fixture
	admin    user.Caller
	password string
	all      []*signedIn
}

var background = context.Background()

const email = "ann@example.org"

// In every sequence of actions of a user, a thief and an admin, a session is active until the
// first action that ends it, and never again.
func TestSessionsAreActiveExactlyAsLongAsTheModelSays(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		k := authkit.New(t, onSQLite(t), func(_ *authrooms.Ports, c *auth.Config) { c.MaxSessions, c.AccessTTL = 1000, 24*time.Hour })
		k.CreateUser(t, email)
		m := &machine{kit: k, admin: k.CreateCaller(t, "root@example.org", user.Admin), password: authkit.Password}
		rt.Repeat(map[string]func(*rapid.T){
			"":                m.check,
			"sign in":         m.signIn,
			"refresh":         m.refresh,
			"request":         m.request,
			"revoke":          m.revoke,
			"revoke others":   m.revokeOthers,
			"change password": m.change,
			"reset password":  m.reset,
			"admin ends all":  m.endAll,
			"time passes": func(rt *rapid.T) {
				k.Clock.Advance(time.Duration(rapid.IntRange(1, 30).Draw(rt, "seconds")) * time.Second)
			},
		})
	})
}

func (m *machine) pick(t *rapid.T) *signedIn {
	if len(m.all) == 0 {
		t.Skip("nobody is signed in")
	}
	return m.all[rapid.IntRange(0, len(m.all)-1).Draw(t, "session")]
}

// caller picks an active session and returns it with its caller.
func (m *machine) caller(t *rapid.T) (*signedIn, user.Caller) {
	s := m.pick(t)
	if s.ended {
		t.Skip("that session has ended")
	}
	return s, user.Caller{ID: s.User, Session: s.ID, From: authkit.Firefox}
}

func (m *machine) endAllBut(kept *signedIn) {
	for _, s := range m.all {
		s.ended = s.ended || s != kept
	}
}

func (m *machine) signIn(t *rapid.T) {
	g := must.Get(m.kit.SignIns.SignIn(background, signin.Request{Email: email, Password: m.password, Remember: true, From: authkit.Firefox}))(t)
	m.all = append(m.all, &signedIn{Session: g.Session, tokens: []auth.TokenPair{g}})
}

func (m *machine) refresh(t *rapid.T) {
	s := m.pick(t)
	n := rapid.IntRange(0, len(s.tokens)-1).Draw(t, "token")
	want := session.Inactive
	if !s.ended {
		want = s.Classify(int64(n), 0, m.kit.Clock.Now())
	}
	g, err := m.kit.Sessions.Refresh(background, s.tokens[n].RefreshToken, authkit.Firefox)
	switch want {
	case session.Rotated:
		s.Rotate(int64(n), m.kit.Clock.Now())
		s.tokens = append(s.tokens, g)
	case session.ReuseDetected:
		s.ended = true
	}
	if good := want == session.Rotated || want == session.ReusedInGracePeriod; good != (err == nil) || good && g.RefreshToken != s.tokens[n+1].RefreshToken {
		t.Fatalf("token %d of %d: %v, want outcome %d", n, len(s.tokens), err, want)
	}
}

func (m *machine) request(t *rapid.T) {
	s := m.pick(t)
	n := rapid.IntRange(0, len(s.tokens)-1).Draw(t, "token")
	if m.authenticate(s.tokens[n]) {
		s.Family.NewestSeen = max(s.Family.NewestSeen, int64(n))
	}
}

func (m *machine) authenticate(g auth.TokenPair) bool {
	_, err := m.kit.Authenticator.Authenticate(background, g.AccessToken, authkit.Firefox)
	return err == nil
}

func (m *machine) revoke(t *rapid.T) {
	_, by := m.caller(t)
	victim := m.pick(t)
	err := m.kit.Sessions.Revoke(background, by, victim.ID)
	if victim.ended != errors.Is(err, session.ErrNotFound) || !victim.ended && err != nil {
		t.Fatalf("revoked, ended before: %v, %v", victim.ended, err)
	}
	victim.ended = true
}

func (m *machine) revokeOthers(t *rapid.T) {
	s, by := m.caller(t)
	m.checkCount(t, s, func() (int, error) { return m.kit.Sessions.RevokeOthers(background, by) })
}

func (m *machine) endAll(t *rapid.T) {
	m.checkCount(t, nil, func() (int, error) { return m.kit.Users.EndSessions(background, m.admin, m.person()) })
}

// checkCount ends all sessions but one and checks the number that end returns.
func (m *machine) checkCount(t *rapid.T, kept *signedIn, end func() (int, error)) {
	active := 0
	for _, s := range m.all {
		if !s.ended && s != kept {
			active++
		}
	}
	if n, err := end(); err != nil || n != active {
		t.Fatalf("%d sessions were ended, %v; %d were active", n, err, active)
	}
	m.endAllBut(kept)
}

func (m *machine) person() user.ID {
	u, err := m.kit.Store.Identity.FindUserByEmail(background, email)
	if err != nil {
		panic(err)
	}
	return u.ID
}

// next returns a password other than the current one.
func (m *machine) next() string { return m.password + " and more"[:1+len(m.password)%8] }

func (m *machine) change(t *rapid.T) {
	s, by := m.caller(t)
	if len(m.password) > 100 {
		t.Skip("the password is long enough")
	}
	must.Do(t, m.kit.Passwords.Change(background, by, m.password, m.next()))
	m.password = m.next()
	m.endAllBut(s)
}

func (m *machine) reset(t *rapid.T) {
	before := len(m.kit.Mails(message.PasswordReset, email))
	must.Do(t, m.kit.Passwords.RequestReset(background, email, user.EN, authkit.Firefox))
	mails := m.kit.Mails(message.PasswordReset, email)
	if len(mails) == before || len(m.password) > 100 {
		t.Skip("no mail may be sent now")
	}
	must.Do(t, m.kit.Passwords.Reset(background, email, mails[before].Code, m.next(), authkit.Chrome))
	m.password = m.next()
	m.endAllBut(nil)
}

// check compares the token info and the list of sessions with the model. Neither counts
// as a use.
func (m *machine) check(t *rapid.T) {
	live := map[user.SessionID]bool{}
	for _, s := range m.all {
		newest := s.tokens[len(s.tokens)-1]
		info, err := m.kit.Authenticator.Introspect(background, newest.AccessToken)
		if err != nil || info.Active == s.ended {
			t.Fatalf("session %s is %+v, %v; ended: %v", s.ID, info, err, s.ended)
		}
		if !s.ended {
			live[s.ID] = true
		}
	}
	list, err := m.kit.Sessions.List(background, m.admin, m.person())
	if err != nil || len(list) != len(live) {
		t.Fatalf("%d sessions are listed, %v; %d are active", len(list), err, len(live))
	}
	for _, s := range list {
		if !live[s.ID] {
			t.Fatalf("session %s is listed", s.ID)
		}
	}
}
