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
	{"50 parallel refreshes with one token", func(t *testing.T, a *arena) {
		p := a.member(t, byBearer, "tabs")
		next := make([]string, 50)
		together(len(next), func(i int) {
			next[i] = a.nobody(t, byBearer).run(refresh, vars{"t": p.refresh}).text("refreshSession", "refreshToken")
		})
		for _, got := range next {
			if got != next[0] || got == "" {
				t.Fatalf("tabs got different tokens: %.20q and %.20q", next[0], got)
			}
		}
		p.in("tabs log nobody out")
		p.must(refresh, vars{"t": next[0]})
	}},
	{"replay of a refresh token within the grace", func(t *testing.T, a *arena) {
		p := a.member(t, byBearer, "grace")
		first := p.refresh
		p.refreshes()
		second := p.refresh
		p.in("the new access token was used")
		if r := a.nobody(t, byBearer).must(refresh, vars{"t": first}); r.text("refreshSession", "refreshToken") != second {
			t.Errorf("another successor: %s", r.Body)
		}
		p.in("within the grace nobody is logged out")
	}},
	{"replay of a refresh token two rotations old", func(t *testing.T, a *arena) {
		p := a.member(t, byBearer, "stolen")
		phone := p.as(byBearer)
		first := p.refresh
		p.refreshes()
		p.refreshes()
		a.nobody(t, byBearer).refused(refresh, vars{"t": first}, "SESSION_INVALID")
		p.out("theft")
		p.refused(refresh, vars{"t": p.refresh}, "SESSION_INVALID")
		phone.in("another session of the same user")
		a.Mail(p.email, "session_ended")
	}},
	{"refresh tokens with one character changed", func(t *testing.T, a *arena) {
		p := a.member(t, byBearer, "flipped")
		thief := a.nobody(t, byBearer)
		for i := range len(p.refresh) {
			b := []byte(p.refresh)
			if b[i] = 'A'; p.refresh[i] == 'A' {
				b[i] = 'Q'
			}
			thief.refused(refresh, vars{"t": string(b)}, "SESSION_INVALID")
		}
		p.in("a guess ends nothing")
		if r := p.refreshes(); r.Code() != "" {
			t.Errorf("the real one: %s", r.Body)
		}
	}},
	{"a refresh token with another session's id", func(t *testing.T, a *arena) {
		p := a.member(t, byBearer, "swap")
		spliced := p.refresh[:16] + a.victim.refresh[16:]
		a.nobody(t, byBearer).refused(refresh, vars{"t": spliced}, "SESSION_INVALID")
		p.in("a guess ends nothing")
	}},
	{"refresh tokens of odd shapes", func(t *testing.T, a *arena) {
		for _, bad := range []string{"", " ", a.victim.refresh + "=", a.victim.refresh + "A", a.victim.refresh[1:], strings.Repeat("A", 72), strings.Repeat("A", 100_000), "null", "../../etc/passwd"} {
			a.nobody(t, byBearer).refused(refresh, vars{"t": bad}, "SESSION_INVALID")
		}
	}},
	{"an access token as a refresh token", func(t *testing.T, a *arena) {
		a.nobody(t, byBearer).refused(refresh, vars{"t": a.victim.access}, "SESSION_INVALID")
	}},
	{"a refresh token as an access token", func(t *testing.T, a *arena) {
		p := a.nobody(t, byBearer)
		p.access = a.victim.refresh
		p.out("a refresh token signs nobody in")
	}},
	{"use of a signed-out session", func(t *testing.T, a *arena) {
		p := a.member(t, byBearer, "gone")
		p.must(signOut, nil)
		p.out("signed out")
		p.refused(refresh, vars{"t": p.refresh}, "SESSION_INVALID")
	}},
	{"use of a revoked session", func(t *testing.T, a *arena) {
		p := a.member(t, byBearer, "revoked")
		phone := p.as(byBearer)
		phone.in("before")
		p.must(revoke, vars{"i": phone.session})
		phone.out("revoked, on the very next request")
		phone.refused(refresh, vars{"t": phone.refresh}, "SESSION_INVALID")
	}},
	{"many rounds of refreshing against revoking", refreshAgainstRevoke},
	{"session fixation by planted cookies", func(t *testing.T, a *arena) {
		p := a.nobody(t, byCookie)
		p.email = a.thief.email
		planted := "octavo_access=" + a.thief.access + "; octavo_refresh=" + a.thief.refresh
		q := a.member(t, byBearer, "fixated")
		r := p.send("/graphql", body(t, signIn, vars{"e": q.email, "p": password}), func(r *http.Request) { r.Header.Set("Cookie", planted) })
		if got := r.text("signIn", "session", "id"); got == "" || got == a.thief.session {
			t.Errorf("the session is %q: %s", got, r.Body)
		}
		if len(r.Header.Values("Set-Cookie")) != 2 {
			t.Errorf("cookies %q", r.Header.Values("Set-Cookie"))
		}
		if all, _ := a.thief.must(me, nil).at("me", "sessions").([]any); len(all) != 1 {
			t.Errorf("the thief has %d sessions", len(all))
		}
	}},
	{"more sessions than allowed", func(t *testing.T, a *arena) {
		p := a.member(t, byBearer, "many")
		for range 10 {
			p.as(byBearer)
		}
		p.out("the least recently used one went")
		p.signIn(password)
		if all, _ := p.must(me, nil).at("me", "sessions").([]any); len(all) != 10 {
			t.Errorf("%d sessions", len(all))
		}
	}},
	{"an old access token after a demotion", func(t *testing.T, a *arena) {
		p := a.member(t, byBearer, "demoted")
		a.owner.must(setRole, vars{"i": p.id, "r": "ADMIN"})
		p.refreshes() // the new token has the role ADMIN
		p.must(people, nil)
		a.owner.must(setRole, vars{"i": p.id, "r": "USER"})
		p.refused(people, nil, "FORBIDDEN")
	}},
	{"the access token of a deleted user", func(t *testing.T, a *arena) {
		p := a.member(t, byBearer, "deleted")
		a.admin.must(remove, vars{"i": []string{p.id}})
		p.out("deleted")
		p.refused(refresh, vars{"t": p.refresh}, "SESSION_INVALID")
	}},
	{"replay of a refresh token after the grace", func(t *testing.T, a *arena) {
		<-time.After(time.Until(a.lateSince.Add(session.GracePeriod + time.Second))) // the clock of the program cannot be advanced
		a.late.t = t
		a.nobody(t, byBearer).refused(refresh, vars{"t": a.lateToken}, "SESSION_INVALID")
		a.late.out("theft")
		a.Mail(a.late.email, "session_ended")
	}},
}

// refreshAgainstRevoke refreshes and revokes concurrently. Whichever comes first, no token of
// the session is valid afterwards.
func refreshAgainstRevoke(t *testing.T, a *arena) {
	const lanes = 4
	people := make([]*person, lanes)
	for i := range people {
		people[i] = a.member(t, byBearer, fmt.Sprintf("racer-%d", i))
	}
	together(lanes, func(lane int) {
		p := people[lane]
		for range a.rounds / lanes {
			phone := p.as(byBearer)
			stale, id, raced := phone.refresh, phone.session, reply{} // refreshing changes the phone
			together(2, func(i int) {
				if i == 0 {
					raced = phone.run(refresh, vars{"t": stale})
				} else {
					p.must(revoke, vars{"i": id})
				}
			})
			phone.out("revoked while refreshing")
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
