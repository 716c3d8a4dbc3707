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
	bearer := s.newClient(t, byBearer)
	bearer.yields(p.refresh, "refreshSession.refreshToken", refresh, vars{"t": first})
	bearer.refused(refresh, vars{"t": "x"}, "SESSION_INVALID")
	s.newClient(t, mode).refused(refresh, nil, "SESSION_INVALID")
	p.assertSignedIn("after refreshing")
	p.refreshes()
	bearer.refused(refresh, vars{"t": first}, "SESSION_INVALID") // two rotations old, so it counts as stolen
	p.assertSignedOut("after a detected theft")
	s.Mail(p.email, "session_ended")
}

func signingOut(t *testing.T, s service, mode string) {
	p := s.member(t, mode, "leaver")
	kept, renewal := p.access, p.refresh
	r := p.yields(true, "signOut", signOut, nil)
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
	bearer.refused(refresh, vars{"t": renewal}, "SESSION_INVALID")
	s.newClient(t, mode).must(signOut, nil)
}

func sessions(t *testing.T, s service, mode string) {
	p := s.member(t, mode, "devices")
	phone, tablet, stranger := p.as(byBearer), p.as(byCookie), s.member(t, mode, "stranger")
	if all, _ := p.must(me, nil).at("me", "sessions").([]any); len(all) != 3 {
		t.Fatalf("%d sessions", len(all))
	}
	for _, id := range []string{stranger.session, "1", "' or 1=1"} {
		p.refused(revoke, vars{"i": id}, "NOT_FOUND")
	}
	s.newClient(t, mode).refused(revoke, vars{"i": p.session}, "UNAUTHENTICATED")
	p.yields(true, "revokeSession", revoke, vars{"i": phone.session})
	phone.assertSignedOut("after the revocation of the session")
	s.newClient(t, mode).refused(others, nil, "UNAUTHENTICATED")
	p.yields(1.0, "revokeOtherSessions", others, nil)
	tablet.assertSignedOut("in one of the other sessions, after their revocation")
	p.assertSignedIn("in the session that revoked the others")
}
