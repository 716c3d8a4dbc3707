package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/session"
)

var sessionAttacks = []attack{
	{"50 parallel refreshes with one token", func(t *testing.T, a *attackFixture) {
		p := a.member(t, byBearer, "tabs")
		next := make([]string, 50)
		together(len(next), func(i int) {
			next[i] = a.newClient(t, byBearer).run(refresh, vars{"t": p.refresh}).text("refreshSession", "refreshToken")
		})
		for _, got := range next {
			if got != next[0] || got == "" {
				t.Fatalf("tabs got different tokens: %.20q and %.20q", next[0], got)
			}
		}
		p.assertSignedIn("after parallel refreshes")
		p.must(refresh, vars{"t": next[0]})
	}},
	{"replay of a refresh token within the grace period", func(t *testing.T, a *attackFixture) {
		p := a.member(t, byBearer, "grace")
		first := p.refresh
		p.refreshes()
		second := p.refresh
		p.assertSignedIn("with the new access token")
		if r := a.newClient(t, byBearer).must(refresh, vars{"t": first}); r.text("refreshSession", "refreshToken") != second {
			t.Errorf("the replayed token has another successor: %s", r.Body)
		}
		p.assertSignedIn("after a replay within the grace period")
	}},
	{"replay of a refresh token two rotations old", func(t *testing.T, a *attackFixture) {
		p := a.member(t, byBearer, "stolen")
		phone := p.as(byBearer)
		first := p.refresh
		p.refreshes()
		p.refreshes()
		a.newClient(t, byBearer).refused(refresh, vars{"t": first}, "SESSION_INVALID")
		p.assertSignedOut("after a detected theft")
		p.refused(refresh, vars{"t": p.refresh}, "SESSION_INVALID")
		phone.assertSignedIn("another session of the same user")
		a.Mail(p.email, "session_ended")
	}},
	{"refresh tokens with one character changed", func(t *testing.T, a *attackFixture) {
		p := a.member(t, byBearer, "flipped")
		attacker := a.newClient(t, byBearer)
		for i := range len(p.refresh) {
			b := []byte(p.refresh)
			if b[i] = 'A'; p.refresh[i] == 'A' {
				b[i] = 'Q'
			}
			attacker.refused(refresh, vars{"t": string(b)}, "SESSION_INVALID")
		}
		p.assertSignedIn("after refused tokens")
		if r := p.refreshes(); r.Code() != "" {
			t.Errorf("the valid token is refused: %s", r.Body)
		}
	}},
	{"a refresh token with another session's id", func(t *testing.T, a *attackFixture) {
		p := a.member(t, byBearer, "swap")
		spliced := p.refresh[:16] + a.victim.refresh[16:]
		a.newClient(t, byBearer).refused(refresh, vars{"t": spliced}, "SESSION_INVALID")
		p.assertSignedIn("after refused tokens")
	}},
	{"malformed refresh tokens", func(t *testing.T, a *attackFixture) {
		for _, bad := range []string{"", " ", a.victim.refresh + "=", a.victim.refresh + "A", a.victim.refresh[1:], strings.Repeat("A", 72), strings.Repeat("A", 100_000), "null", "../../etc/passwd"} {
			a.newClient(t, byBearer).refused(refresh, vars{"t": bad}, "SESSION_INVALID")
		}
	}},
	{"an access token as a refresh token", func(t *testing.T, a *attackFixture) {
		a.newClient(t, byBearer).refused(refresh, vars{"t": a.victim.access}, "SESSION_INVALID")
	}},
	{"a refresh token as an access token", func(t *testing.T, a *attackFixture) {
		p := a.newClient(t, byBearer)
		p.access = a.victim.refresh
		p.assertSignedOut("with a refresh token in place of the access token")
	}},
	{"use of a signed-out session", func(t *testing.T, a *attackFixture) {
		p := a.member(t, byBearer, "gone")
		p.must(signOut, nil)
		p.assertSignedOut("after signing out")
		p.refused(refresh, vars{"t": p.refresh}, "SESSION_INVALID")
	}},
	{"use of a revoked session", func(t *testing.T, a *attackFixture) {
		p := a.member(t, byBearer, "revoked")
		phone := p.as(byBearer)
		phone.assertSignedIn("before the revocation")
		p.must(revoke, vars{"i": phone.session})
		phone.assertSignedOut("at the first request after the revocation")
		phone.refused(refresh, vars{"t": phone.refresh}, "SESSION_INVALID")
	}},
	{"concurrent refreshes and revocations", refreshAgainstRevoke},
	{"session fixation by cookies of the attacker", func(t *testing.T, a *attackFixture) {
		p := a.newClient(t, byCookie)
		p.email = a.attacker.email
		planted := "octavo_access=" + a.attacker.access + "; octavo_refresh=" + a.attacker.refresh
		q := a.member(t, byBearer, "fixated")
		r := p.send("/graphql", body(t, signIn, vars{"e": q.email, "p": password}), func(r *http.Request) { r.Header.Set("Cookie", planted) })
		if got := r.text("signIn", "session", "id"); got == "" || got == a.attacker.session {
			t.Errorf("the session is %q: %s", got, r.Body)
		}
		if len(r.Header.Values("Set-Cookie")) != 2 {
			t.Errorf("cookies %q", r.Header.Values("Set-Cookie"))
		}
		if all, _ := a.attacker.must(me, nil).at("me", "sessions").([]any); len(all) != 1 {
			t.Errorf("the attacker has %d sessions, want 1", len(all))
		}
	}},
	{"more sessions than allowed", func(t *testing.T, a *attackFixture) {
		p := a.member(t, byBearer, "many")
		for range 10 {
			p.as(byBearer)
		}
		p.assertSignedOut("in the least recently used session")
		p.signIn(password)
		if all, _ := p.must(me, nil).at("me", "sessions").([]any); len(all) != 10 {
			t.Errorf("%d sessions", len(all))
		}
	}},
	{"an old access token after a demotion", func(t *testing.T, a *attackFixture) {
		p := a.member(t, byBearer, "demoted")
		a.owner.must(setRole, vars{"i": p.id, "r": "ADMIN"})
		p.refreshes() // the new token has the role ADMIN
		p.must(people, nil)
		a.owner.must(setRole, vars{"i": p.id, "r": "USER"})
		p.refused(people, nil, "FORBIDDEN")
	}},
	{"the access token of a deleted user", func(t *testing.T, a *attackFixture) {
		p := a.member(t, byBearer, "deleted")
		a.admin.must(remove, vars{"i": []string{p.id}})
		p.assertSignedOut("after the deletion")
		p.refused(refresh, vars{"t": p.refresh}, "SESSION_INVALID")
	}},
	{"replay of a refresh token after the grace period", func(t *testing.T, a *attackFixture) {
		<-time.After(time.Until(a.lateSince.Add(session.GracePeriod + time.Second))) // the clock of the program cannot be advanced
		a.late.t = t
		a.newClient(t, byBearer).refused(refresh, vars{"t": a.lateToken}, "SESSION_INVALID")
		a.late.assertSignedOut("after a detected theft")
		a.Mail(a.late.email, "session_ended")
	}},
}

// refreshAgainstRevoke refreshes and revokes concurrently. Whichever comes first, no token of
// the session is valid afterwards.
func refreshAgainstRevoke(t *testing.T, a *attackFixture) {
	const workers = 4
	people := make([]*person, workers)
	for i := range people {
		people[i] = a.member(t, byBearer, fmt.Sprintf("racer-%d", i))
	}
	together(workers, func(worker int) {
		p := people[worker]
		for range a.rounds / workers {
			phone := p.as(byBearer)
			stale, id, raced := phone.refresh, phone.session, reply{} // refreshing changes the phone
			together(2, func(i int) {
				if i == 0 {
					raced = phone.run(refresh, vars{"t": stale})
				} else {
					p.must(revoke, vars{"i": id})
				}
			})
			phone.assertSignedOut("after a revocation during a refresh")
			phone.refused(refresh, vars{"t": stale}, "SESSION_INVALID")
			if next := raced.text("refreshSession", "refreshToken"); next != "" {
				phone.refused(refresh, vars{"t": next}, "SESSION_INVALID")
			}
			if t.Failed() {
				return
			}
		}
	})
}
