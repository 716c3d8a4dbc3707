package e2e_test

import (
	"net/http"
	"testing"
)

func refreshing(t *testing.T, s service, mode string) {
	p := s.member(t, mode, "refresh")
	first, oldAccess := p.refresh, p.access
	r := p.refreshes()
	if r.text("refreshSession", "session", "id") != p.session || p.refresh == first || p.access == oldAccess {
		t.Fatalf("refresh: %s", r.Body)
	}
	second := p.refresh
	bearer := s.newClient(t, byBearer)
	if again := bearer.run(refresh, vars{"t": first}); again.text("refreshSession", "refreshToken") != second {
		t.Errorf("a repeat is not answered with the same successor: %s", again.Body)
	}
	p.assertSignedIn("after refreshing")
	for _, bad := range []any{"", "x", oldAccess, flip(second)} {
		bearer.refused(refresh, vars{"t": bad}, "SESSION_INVALID")
	}
	s.newClient(t, mode).refused(refresh, nil, "SESSION_INVALID")
	p.assertSignedIn("after a forged refresh token")
	p.refreshes()
	bearer.refused(refresh, vars{"t": first}, "SESSION_INVALID") // two rotations old, so it counts as stolen
	p.assertSignedOut("after a detected theft")
	p.cookies = false
	p.refused(refresh, vars{"t": p.refresh}, "SESSION_INVALID")
	s.Mail(p.email, "session_ended")
}

// flip changes one bit in the middle of a base64url text.
func flip(s string) string {
	b := []byte(s)
	if i := len(b) / 2; b[i] == 'A' {
		b[i] = 'B'
	} else {
		b[i] = 'A'
	}
	return string(b)
}

func signingOut(t *testing.T, s service, mode string) {
	p := s.member(t, mode, "leaver")
	kept, renewal := p.access, p.refresh
	r := p.must(signOut, nil)
	if r.at("signOut") != true {
		t.Errorf("signOut: %s", r.Body)
	}
	if p.cookies {
		for _, c := range (&http.Response{Header: r.Header}).Cookies() {
			if c.MaxAge >= 0 || c.Value != "" {
				t.Errorf("left %s", c)
			}
		}
	}
	bearer := s.newClient(t, byBearer)
	bearer.access = kept
	bearer.assertSignedOut("after signing out")
	bearer.access = ""
	bearer.refused(refresh, vars{"t": renewal}, "SESSION_INVALID")
	s.newClient(t, mode).must(signOut, nil)
}

func sessions(t *testing.T, s service, mode string) {
	p := s.member(t, mode, "devices")
	phone, tablet, stranger := p.as(byBearer), p.as(byCookie), s.member(t, mode, "stranger")
	p.must(me, nil)
	all, _ := p.must(me, nil).at("me", "sessions").([]any)
	if len(all) != 3 {
		t.Fatalf("%d sessions", len(all))
	}
	p.refused(revoke, vars{"i": stranger.session}, "NOT_FOUND")
	p.refused(revoke, vars{"i": "1"}, "NOT_FOUND")
	p.refused(revoke, vars{"i": "' or 1=1"}, "NOT_FOUND")
	s.newClient(t, mode).refused(revoke, vars{"i": p.session}, "UNAUTHENTICATED")
	if r := p.must(revoke, vars{"i": phone.session}); r.at("revokeSession") != true {
		t.Errorf("revokeSession: %s", r.Body)
	}
	phone.assertSignedOut("after the revocation of the session")
	phone.refused(refresh, vars{"t": phone.refresh}, "SESSION_INVALID")
	p.refused(revoke, vars{"i": phone.session}, "NOT_FOUND")
	tablet.assertSignedIn("before the revocation of the others")
	p.as(byBearer)
	if r := p.must(others, nil); r.at("revokeOtherSessions") != 2.0 {
		t.Errorf("revokeOtherSessions: %s", r.Body)
	}
	tablet.assertSignedOut("in one of the other sessions, after their revocation")
	stranger.assertSignedIn("as another user")
	p.assertSignedIn("in the session that revoked the others")
	if r := p.must(others, nil); r.at("revokeOtherSessions") != 0.0 {
		t.Errorf("revokeOtherSessions again: %s", r.Body)
	}
	s.newClient(t, mode).refused(others, nil, "UNAUTHENTICATED")
	p.must(revoke, vars{"i": p.session})
	p.assertSignedOut("after the revocation of one's own session")
}
