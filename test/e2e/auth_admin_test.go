package e2e_test

import (
	"slices"
	"testing"
	"time"
)

func inviting(t *testing.T, s service, mode string) {
	admin, user := s.promoted(t, mode, "admin"), s.member(t, mode, "user")
	guest := s.newClient(t, mode)
	guest.email = address("guest")
	guest.refused(invite, vars{"e": guest.email}, "UNAUTHENTICATED")
	user.refused(invite, vars{"e": guest.email}, "FORBIDDEN")
	user.refused(invited, nil, "FORBIDDEN")
	admin.refused(invite, vars{"e": "no address"}, "EMAIL_INVALID")
	admin.refused(invite, vars{"e": user.email}, "BAD_REQUEST")
	id := admin.must(invite, vars{"e": guest.email, "l": "FR"}).text("inviteUser")
	link := s.invitation(t, guest.email, "")
	i := admin.openInvitation(guest.email)
	if i["userId"] != id || i["invitedBy"] != admin.id || i["acceptedAt"] != nil {
		t.Fatalf("the invitation: %v", i)
	}
	if life := when(t, i["expiresAt"].(string)).Sub(when(t, i["createdAt"].(string))); life != 7*24*time.Hour {
		t.Errorf("the invitation expires after %v, want 7 days", life)
	}
	guest.refused(accept, vars{"t": link, "p": "short"}, "PASSWORD_INVALID")
	if r := guest.yields(id, "acceptInvitation.user.id", accept, vars{"t": link}); r.at("acceptInvitation", "user", "verified") != true {
		t.Errorf("acceptInvitation: %s", r.Body)
	}
	guest.assertSignedIn("after accepting the invitation")
	guest.refused(accept, vars{"t": link}, "CODE_INVALID")

	unwanted := address("unwanted")
	admin.must(invite, vars{"e": unwanted})
	open := admin.openInvitation(unwanted)["id"]
	user.refused(uninvite, vars{"i": open}, "FORBIDDEN")
	admin.yields(true, "revokeInvitation", uninvite, vars{"i": open})
	for _, gone := range []any{open, "x"} {
		admin.refused(uninvite, vars{"i": gone}, "NOT_FOUND")
	}
}

// openInvitation returns the invitation of an address from the list of those that nobody has accepted.
func (p *person) openInvitation(email string) vars {
	p.t.Helper()
	r := p.must(invited, nil)
	all, _ := r.at("invitations").([]any)
	at := slices.IndexFunc(all, func(v any) bool { return v.(vars)["email"] == email })
	if at < 0 {
		p.t.Fatalf("no invitation of %s: %s", email, r.Body)
	}
	return all[at].(vars)
}

func listing(t *testing.T, s service, mode string) {
	admin, user := s.promoted(t, mode, "admin"), s.member(t, mode, "zzz-listed")
	second := s.member(t, mode, "zzz-listed")
	user.refused(people, nil, "FORBIDDEN")
	s.newClient(t, mode).refused(people, nil, "UNAUTHENTICATED")
	for _, bad := range []vars{{"f": 0}, {"f": 101}, {"a": "no cursor"}} {
		admin.refused(people, bad, "BAD_REQUEST")
	}
	r := admin.yields(second.email, "users.edges.0.node.email", people, vars{"f": 1, "s": "ZZZ-listed"})
	if r.at("users", "pageInfo", "hasNextPage") != true || r.text("users", "edges", 0, "node", "sessions", 0, "id") != second.session {
		t.Errorf("first page: %s", r.Body)
	}
	r = admin.yields(user.email, "users.edges.0.node.email", people, vars{"f": 1, "s": "zzz-listed", "a": r.text("users", "pageInfo", "endCursor")})
	if r.at("users", "pageInfo", "hasNextPage") != false {
		t.Errorf("second page: %s", r.Body)
	}
	admin.yields(nil, "users.pageInfo.endCursor", people, vars{"s": "nobody has this"})
	if r = admin.yields(user.email, "user.email", person1, vars{"i": user.id}); r.text("user", "sessions", 0, "id") != user.session {
		t.Errorf("user: %s", r.Body)
	}
	for _, id := range []string{"1", "x", "", "0", "-1", "01", "+1", "1.0", "٣", "9223372036854775807", "9223372036854775808"} {
		admin.yields(nil, "user", person1, vars{"i": id})
	}
	user.refused(person1, vars{"i": user.id}, "FORBIDDEN")
}

func roles(t *testing.T, s service, mode string) {
	owner, admin, user := s.promoted(t, mode, "owner"), s.promoted(t, mode, "admin"), s.member(t, mode, "riser")
	admin.refused(setRole, vars{"i": user.id, "r": "ADMIN"}, "FORBIDDEN")
	s.newClient(t, mode).refused(setRole, vars{"i": user.id, "r": "ADMIN"}, "UNAUTHENTICATED")
	owner.refused(setRole, vars{"i": "1", "r": "ADMIN"}, "NOT_FOUND")
	owner.refused(setRole, vars{"i": user.id, "r": "admin"}, "BAD_REQUEST")
	owner.yields("ADMIN", "setRole.role", setRole, vars{"i": user.id, "r": "ADMIN"})
	user.must(people, nil) // with the older token, whose role is USER
	owner.yields(user.id, "setRole.id", setRole, vars{"i": user.id, "r": "USER"})
	user.refused(people, nil, "FORBIDDEN")
	r := owner.must(people, vars{"f": 100})
	all, _ := r.at("users", "edges").([]any)
	for i := range all {
		if id := r.text("users", "edges", i, "node", "id"); r.text("users", "edges", i, "node", "role") == "OWNER" && id != owner.id {
			owner.must(setRole, vars{"i": id, "r": "USER"})
		}
	}
	owner.refused(setRole, vars{"i": owner.id, "r": "ADMIN"}, "BAD_REQUEST") // the last one
}

func actingOnOthers(t *testing.T, s service, mode string) {
	owner, admin, user := s.promoted(t, mode, "owner"), s.promoted(t, mode, "admin"), s.member(t, mode, "user")
	const next = "a brand new password"
	for by, above := range map[*person]*person{user: admin, admin: owner} {
		by.refused(setPass, vars{"i": above.id, "p": next}, "FORBIDDEN")
		by.refused(endAll, vars{"i": above.id}, "FORBIDDEN")
		by.refused(remove, vars{"i": []string{user.id, above.id}}, "FORBIDDEN")
	}
	admin.refused(setPass, vars{"i": user.id, "p": "short"}, "PASSWORD_INVALID")
	for _, id := range []string{"1", "x"} {
		admin.refused(setPass, vars{"i": id, "p": next}, "NOT_FOUND")
		admin.refused(endAll, vars{"i": id}, "NOT_FOUND")
		admin.refused(remove, vars{"i": []string{user.id, id}}, "NOT_FOUND")
	}
	admin.refused(remove, vars{"i": []string{user.id, admin.id}}, "CANNOT_DELETE_SELF")
	user.as(byBearer)
	admin.yields(2.0, "adminEndSessions", endAll, vars{"i": user.id})
	user.assertSignedOut("after an admin has ended the sessions")
	admin.yields(true, "adminSetPassword", setPass, vars{"i": user.id, "p": next})
	user.signIn(next)
	owner.yields(2.0, "adminDeleteUsers", remove, vars{"i": []string{user.id, admin.id, user.id}})
	user.assertSignedOut("after the deletion")
	owner.yields(nil, "user", person1, vars{"i": user.id})
}

func auditing(t *testing.T, s service, mode string) {
	owner, admin, user := s.promoted(t, mode, "owner"), s.promoted(t, mode, "admin"), s.member(t, mode, "watched")
	admin.refused(auditLn, nil, "FORBIDDEN")
	s.newClient(t, mode).refused(auditLn, nil, "UNAUTHENTICATED")
	for _, bad := range []vars{{"f": 101}, {"a": "no cursor"}} {
		owner.refused(auditLn, bad, "BAD_REQUEST")
	}
	owner.must(setRole, vars{"i": user.id, "r": "ADMIN"})
	r := owner.must(auditLn, vars{"f": 1, "u": user.id})
	for field, want := range (vars{"action": "user.role_set", "actor": owner.id, "target": user.id, "ip": owner.header.Get("X-Forwarded-For")}) {
		if got := r.at("auditLog", "edges", 0, "node", field); got != want {
			t.Errorf("%s of the newest entry is %v, want %v", field, got, want)
		}
	}
	if age := time.Since(when(t, r.text("auditLog", "edges", 0, "node", "at"))); age < 0 || age > time.Minute {
		t.Errorf("%v ago", age)
	}
	older := owner.must(auditLn, vars{"f": 1, "u": user.id, "a": r.text("auditLog", "pageInfo", "endCursor")})
	if r.at("auditLog", "pageInfo", "hasNextPage") != true || older.text("auditLog", "edges", 0, "node", "action") != "session.started" {
		t.Errorf("pages: %s %s", r.Body, older.Body)
	}
	owner.yields(nil, "auditLog.edges.0", auditLn, vars{"u": "x"})
}
