package authcontract

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
	"pgregory.net/rapid"
)

// Sessions tests the ports for sessions against the domain's rules.
func Sessions(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, authkit.Stores){
		"a session is found as it was added":                              sessionRoundTrip,
		"any sequence of operations follows the domain's rules":           sessionModel,
		"a proof of identity belongs to one session until it is revoked":  sessionProof,
		"sessions of applications belong to another session once adopted": sessionAdopted,
		"a revoked session stays revoked":                                 sessionRevoked,
		"a device is new once for each user":                              sessionDevice,
		"side effects are recorded once, by the call that revoked":        sessionSideEffects,
		"the state is that of the session and its user":                   sessionState,
		"lifetimes are found for many sessions at once":                   sessionLifetimes,
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			addUser(t, s, 3)
			addUser(t, s, 4)
			test(t, s)
		})
	}
}

func addUser(t *testing.T, s authkit.Stores, id user.ID) {
	t.Helper()
	must.Do(t, s.Identity.Atomically(ctx, func(ctx context.Context, st auth.Stores) error {
		return st.SaveUser(ctx, user.User{ID: id, Email: user.Email("u" + id.String() + "@example.org"), Lang: user.EN, Verified: true, CreatedAt: monday})
	}))
}

var noEffects = auth.SessionEffects{
	Added:   func(auth.KnownDevices) auth.SideEffects { return auth.SideEffects{} },
	Evicted: func([]user.SessionID) auth.SideEffects { return auth.SideEffects{} },
}

func someSession(id user.SessionID, of user.ID) session.Session {
	return session.Session{
		ID: id, User: of, CreatedAt: monday,
		Lifetime: session.Lifetime{LastUsedAt: monday, IdleTimeout: session.IdleTimeout, AbsoluteExpiry: monday.Add(session.AbsoluteTimeout), Epoch: 2},
		IP:       "192.0.2.7", UserAgent: "A browser/1", Device: session.Device{Browser: "A", OS: "B", Model: "C"},
		Family:   session.TokenFamily{ServerSecret: [32]byte{1}, ClientSecretHash: [32]byte{2}, Newest: 0, NewestSeen: 0, RotatedAt: monday},
		ProvedAt: monday, Factors: 2, Client: "some client", Scopes: "openid email", FirstParty: true, Elsewhere: true,
		SignIn: session.SignIn{Methods: session.Password, SignedInAt: monday.Add(time.Second), Context: "urn:octavo:1"}, Parent: 5,
	}
}

func sessionAdopted(t *testing.T, s authkit.Stores) {
	other := someSession(13, 4)
	elsewhere := someSession(12, 3)
	elsewhere.Parent = 6
	for _, one := range []session.Session{someSession(11, 3), elsewhere, other} {
		addSession(t, s, one)
	}
	must.Do(t, s.Sessions.AdoptSessions(ctx, 3, 5, 7))
	must.Do(t, s.Sessions.AdoptSessions(ctx, 3, 9, 8)) // in which none began
	for id, parent := range map[user.SessionID]user.SessionID{11: 7, 12: 6} {
		if found, err := s.Sessions.FindSession(ctx, 3, id); err != nil || found.Parent != parent {
			t.Errorf("session %d began in %d, %v; want %d", id, found.Parent, err, parent)
		}
	}
	if found, err := s.Sessions.FindSession(ctx, 4, 13); err != nil || found.Parent != 5 {
		t.Errorf("that of another user began in %d, %v", found.Parent, err)
	}
}

func sessionProof(t *testing.T, s authkit.Stores) {
	one, other := someSession(11, 3), someSession(12, 3)
	one.ProvedAt = time.Time{}
	addSession(t, s, one)
	addSession(t, s, other)
	later := monday.Add(time.Hour)
	want(t, s.Sessions.ProveSession(ctx, 4, 11, session.Password, later), session.ErrNotFound)
	if found, err := s.Sessions.FindSession(ctx, 3, 11); err != nil || !found.ProvedAt.IsZero() {
		t.Fatalf("a new session was proved at %s, %v", found.ProvedAt, err)
	}
	must.Do(t, s.Sessions.ProveSession(ctx, 3, 11, session.Password, later))
	for id, at := range map[user.SessionID]time.Time{11: later, 12: monday} {
		if found, err := s.Sessions.FindSession(ctx, 3, id); err != nil || !found.ProvedAt.Equal(at) || found.SignedInAt.Equal(later) != at.Equal(later) {
			t.Fatalf("session %d was proved at %s, %v", id, found.ProvedAt, err)
		}
	}
	must.Get(s.Sessions.RevokeSessions(ctx, 3, []user.SessionID{11}, later, auth.SideEffects{}))(t)
	want(t, s.Sessions.ProveSession(ctx, 3, 11, session.Password, later), session.ErrNotFound)
}

func addSession(t *testing.T, s authkit.Stores, one session.Session) {
	t.Helper()
	must.Do(t, s.Sessions.AddSession(ctx, one, 100, noEffects))
}

func sessionRoundTrip(t *testing.T, s authkit.Stores) {
	one := someSession(11, 3)
	addSession(t, s, one)
	found := must.Get(s.Sessions.FindSession(ctx, 3, 11))(t)
	if found != one {
		t.Fatalf("found %+v, began %+v", found, one)
	}
	all := must.Get(s.Sessions.ListSessions(ctx, 3))(t)
	if len(all) != 1 || all[0] != one {
		t.Fatalf("all are %+v", all)
	}
	want(t, must.Err(s.Sessions.FindSession(ctx, 4, 11)), session.ErrNotFound)
	want(t, must.Err(s.Sessions.FindSession(ctx, 3, 12)), session.ErrNotFound)
	if all, err := s.Sessions.ListSessions(ctx, 4); err != nil || len(all) != 0 {
		t.Fatalf("the sessions of another user are %+v, %v", all, err)
	}
}

// sessionModel runs random operations on the store and on a plain session.Session.
func sessionModel(t *testing.T, s authkit.Stores) {
	id := user.SessionID(100)
	rapid.Check(t, func(t *rapid.T) {
		id++
		m := &modelledSession{Session: someSession(id, 3), id: id, now: monday, stores: s}
		must.Do(t, s.Sessions.AddSession(ctx, m.Session, 1000, noEffects))
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			m.now = m.now.Add(time.Duration(rapid.Int64Range(0, int64(9*time.Hour/time.Microsecond)).Draw(t, "pause µs")) * time.Microsecond)
			switch rapid.SampledFrom([]string{"rotate", "rotate", "rotate", "touch", "revoke", "rebind"}).Draw(t, "step") {
			case "rotate":
				m.rotateToken(t)
			case "touch":
				m.touch(t)
			case "revoke":
				m.revoke(t)
			case "rebind":
				m.rebind(t)
			}
			found, err := s.Sessions.FindSession(ctx, 3, id)
			if m.ended != errors.Is(err, session.ErrNotFound) || !m.ended && found != m.Session {
				t.Fatalf("found %+v, %v; want %+v, ended: %v", found, err, m.Session, m.ended)
			}
		}
	})
}

// modelledSession is a session in the store and what the domain says about it.
type modelledSession struct {
	session.Session
	ended bool

	id     user.SessionID
	now    time.Time
	stores authkit.Stores
}

func (m *modelledSession) rotateToken(t *rapid.T) {
	p := auth.PresentedToken{User: 3, Session: m.id, Number: m.Family.Newest - rapid.Int64Range(-1, 3).Draw(t, "older by"), UserEpoch: 2, At: m.now}
	want := session.Inactive
	if !m.ended {
		want = m.Classify(p.Number, p.UserEpoch, m.now)
	}
	after, got, err := m.stores.Sessions.RotateToken(ctx, p, func(session.Session) auth.SideEffects { return auth.SideEffects{} })
	if err != nil || got != want {
		t.Fatalf("token %d of %+v is %d, %v; want %d", p.Number, m.Family, got, err, want)
	}
	if want == session.Rotated {
		m.Rotate(p.Number, m.now)
	}
	if (want == session.Rotated || want == session.ReusedInGracePeriod) && after != m.Session {
		t.Fatalf("answered %+v, want %+v", after, m.Session)
	}
	m.ended = m.ended || want == session.ReuseDetected
}

func (m *modelledSession) touch(t *rapid.T) {
	n := rapid.Int64Range(0, 5).Draw(t, "n")
	must.Do(t, m.stores.Sessions.TouchSession(ctx, 3, m.id, auth.SessionUse{TokenNumber: n, At: m.now, IP: "198.51.100.1"}))
	m.Family.NewestSeen = max(m.Family.NewestSeen, n)
	if m.now.After(m.LastUsedAt) {
		m.LastUsedAt, m.IP = m.now, "198.51.100.1"
	}
}

func (m *modelledSession) revoke(t *rapid.T) {
	n, err := m.stores.Sessions.RevokeSessions(ctx, 3, []user.SessionID{m.id, 1}, m.now, auth.SideEffects{})
	if err != nil || (n == 1) == m.ended {
		t.Fatalf("%d ended, %v; it was %v before", n, err, m.ended)
	}
	m.ended = true
}

func (m *modelledSession) rebind(t *rapid.T) {
	from, to := rapid.Int64Range(1, 4).Draw(t, "from"), rapid.Int64Range(1, 4).Draw(t, "to")
	current := !m.ended && m.Epoch == from
	if err := m.stores.Sessions.RebindSession(ctx, 3, m.id, from, to); (err == nil) != current || !current && !errors.Is(err, session.ErrNotFound) {
		t.Fatalf("rebinding gives %v; the session was active and of epoch %d: %v", err, from, current)
	}
	if current {
		m.Epoch = to
	}
}

func sessionRevoked(t *testing.T, s authkit.Stores) {
	addSession(t, s, someSession(11, 3))
	if n, err := s.Sessions.RevokeSessions(ctx, 4, []user.SessionID{11}, monday, auth.SideEffects{}); n != 0 || err != nil {
		t.Fatalf("the session of another user: %d, %v; want 0", n, err)
	}
	if n, err := s.Sessions.RevokeSessions(ctx, 3, []user.SessionID{11, 11}, monday, auth.SideEffects{}); n != 1 || err != nil {
		t.Fatalf("%d ended, %v; want 1", n, err)
	}
	must.Do(t, s.Sessions.TouchSession(ctx, 3, 11, auth.SessionUse{TokenNumber: 1, At: monday.Add(time.Minute)}))
	want(t, s.Sessions.RebindSession(ctx, 3, 11, 2, 9), session.ErrNotFound)
	for _, n := range []int64{0, 1} {
		_, outcome, err := s.Sessions.RotateToken(ctx, auth.PresentedToken{User: 3, Session: 11, Number: n, UserEpoch: 2, At: monday}, nil)
		if outcome != session.Inactive || err != nil {
			t.Fatalf("outcome %d, %v; want %d", outcome, err, session.Inactive)
		}
	}
	want(t, must.Err(s.Sessions.FindSession(ctx, 3, 11)), session.ErrNotFound)
	if all, err := s.Sessions.ListSessions(ctx, 3); err != nil || len(all) != 0 {
		t.Fatalf("all are %+v, %v", all, err)
	}
	if n, err := s.Sessions.RevokeSessions(ctx, 3, nil, monday, auth.SideEffects{}); n != 0 || err != nil {
		t.Fatalf("none: %d, %v; want 0", n, err)
	}
}

func sessionDevice(t *testing.T, s authkit.Stores) {
	var got []auth.KnownDevices
	var last auth.KnownDevices
	note := func(known auth.KnownDevices) auth.SideEffects { last = known; return auth.SideEffects{} }
	for i, of := range []user.ID{3, 3, 4, 3} {
		one := someSession(user.SessionID(11+i), of)
		if i == 3 {
			one.Device.OS = "another"
		}
		must.Do(t, s.Sessions.AddSession(ctx, one, 100, auth.SessionEffects{Added: note}))
		got = append(got, last)
	}
	if want := []auth.KnownDevices{{}, {This: true, Any: true}, {}, {Any: true}}; !slices.Equal(got, want) {
		t.Fatalf("known devices: %v, want %v", got, want)
	}
}

func sessionState(t *testing.T, s authkit.Stores) {
	one := someSession(11, 3)
	one.Family.NewestSeen, one.Family.Newest = 4, 5
	addSession(t, s, one)
	addSession(t, s, someSession(12, 4))
	u := user.User{ID: 3, Email: "u3@example.org", Lang: user.EN, CreatedAt: monday}
	for _, change := range []func(){
		func() { u.Verified = true },
		func() { u.Profile = &user.Profile{} },
		func() { u.Verified = false },
		func() { u.Role, u.Epoch, u.Verified = user.Owner, 7, true },
	} {
		change()
		must.Do(t, s.Identity.Atomically(ctx, func(ctx context.Context, st auth.Stores) error { return st.SaveUser(ctx, u) }))
		found := must.Get(s.Sessions.FindSessionState(ctx, 3, 11))(t)
		if found != (auth.SessionState{Lifetime: one.Lifetime, NewestSeen: 4, UserEpoch: u.Epoch, Role: u.Role, Student: u.Student(), Factors: one.Factors, SignIn: one.SignIn}) {
			t.Fatalf("found %+v of %+v and %+v", found, one, u)
		}
	}
	for _, who := range [][2]int64{{3, 12}, {4, 11}, {3, 13}, {5, 11}} {
		want(t, must.Err(s.Sessions.FindSessionState(ctx, user.ID(who[0]), user.SessionID(who[1]))), session.ErrNotFound)
	}
	must.Get(s.Sessions.RevokeSessions(ctx, 3, []user.SessionID{11}, monday, auth.SideEffects{}))(t)
	want(t, must.Err(s.Sessions.FindSessionState(ctx, 3, 11)), session.ErrNotFound)
	must.Do(t, s.Identity.Atomically(ctx, func(ctx context.Context, st auth.Stores) error {
		return s.Identity.AccountStore(st).EraseUsers(ctx, []user.ID{4}, monday)
	}))
	want(t, must.Err(s.Sessions.FindSessionState(ctx, 4, 12)), session.ErrNotFound)
}

// sessionLifetimes wants the lifetimes of many sessions at once, and only of those that exist.
func sessionLifetimes(t *testing.T, s authkit.Stores) {
	for id := range user.ID(5) {
		u := user.User{ID: 3 + id, Email: user.Email(fmt.Sprintf("u%d@example.org", 3+id)), Verified: true, Lang: user.EN, CreatedAt: monday, Epoch: int64(id)}
		must.Do(t, s.Identity.Atomically(ctx, func(ctx context.Context, st auth.Stores) error { return st.SaveUser(ctx, u) }))
		addSession(t, s, someSession(11+user.SessionID(id), u.ID))
	}
	must.Get(s.Sessions.RevokeSessions(ctx, 3, []user.SessionID{11}, monday, auth.SideEffects{}))(t)
	must.Do(t, s.Identity.Atomically(ctx, func(ctx context.Context, st auth.Stores) error {
		return s.Identity.AccountStore(st).EraseUsers(ctx, []user.ID{4}, monday)
	}))
	asked := []auth.SessionRef{{User: 3, Session: 11}, {User: 4, Session: 12}, {User: 5, Session: 13}, {User: 6, Session: 14}, {User: 6, Session: 15}}
	for n := range user.ID(2500) {
		asked = append(asked, auth.SessionRef{User: 1000 + n, Session: 5000 + user.SessionID(n)})
	}
	found := must.Get(s.Sessions.FindSessionLifetimes(ctx, asked))(t)
	wanted := map[user.SessionID]auth.SessionLifetime{
		13: {Lifetime: someSession(13, 5).Lifetime, UserEpoch: 2},
		14: {Lifetime: someSession(14, 6).Lifetime, UserEpoch: 3},
	}
	if !maps.Equal(found, wanted) {
		t.Errorf("found %+v, want %+v", found, wanted)
	}
	if none, err := s.Sessions.FindSessionLifetimes(ctx, nil); err != nil || len(none) != 0 {
		t.Errorf("of no sessions: %v, %v", none, err)
	}
}

func sessionSideEffects(t *testing.T, s authkit.Stores) {
	trace := func(id int64, kind message.Kind) auth.SideEffects {
		return auth.SideEffects{
			AuditEntries: []audit.Entry{{ID: id, At: monday, Action: string(kind), Target: "3"}},
			Messages:     []message.Message{{ID: id, Kind: kind, To: "u3@example.org", Lang: user.EN, CreatedAt: monday}},
		}
	}
	one := someSession(11, 3)
	one.Family.Newest = 5
	must.Do(t, s.Sessions.AddSession(ctx, one, 100, auth.SessionEffects{Added: func(auth.KnownDevices) auth.SideEffects { return trace(1, message.NewSession) }}))
	must.Together(10, func(i int) {
		_, _, err := s.Sessions.RotateToken(ctx, auth.PresentedToken{User: 3, Session: 11, Number: 1, UserEpoch: 2, At: monday}, func(ended session.Session) auth.SideEffects {
			if ended.ID != 11 {
				t.Errorf("theft of %+v", ended)
			}
			return trace(int64(10+i), message.SessionEnded)
		})
		if err != nil {
			t.Error(err)
		}
	})
	if n, err := s.Sessions.RevokeSessions(ctx, 3, []user.SessionID{11}, monday, trace(2, message.PasswordChanged)); n != 0 || err != nil {
		t.Fatalf("%d ended, %v; want 0", n, err)
	}
	entries := must.Get(s.Identity.ListAuditEntries(ctx, account.AuditFilter{User: 3}, 0, 100))(t)
	sent := s.Messages()
	if len(entries) != 2 || len(sent) != 2 || entries[1].Action != "new_session" || sent[1].Kind != message.SessionEnded {
		t.Fatalf("left %+v and %+v", entries, sent)
	}
}
