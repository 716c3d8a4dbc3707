package e2e_test

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func inviting(t *testing.T, s service, mode string) {
	admin, user := s.promoted(t, mode, "admin"), s.member(t, mode, "user")
	guest := s.newClient(t, mode)
	guest.email = address("guest")
	user.refused(invite, vars{"e": guest.email}, "FORBIDDEN")
	guest.refused(invite, vars{"e": guest.email}, "UNAUTHENTICATED")
	admin.refused(invite, vars{"e": "no address"}, "EMAIL_INVALID")
	admin.refused(invite, vars{"e": user.email}, "BAD_REQUEST")
	id := admin.must(invite, vars{"e": guest.email, "l": "FR"}).text("inviteUser")
	first, mail := s.invitation(t, guest.email, "")
	if again := admin.must(invite, vars{"e": guest.email}).text("inviteUser"); again != id || id == "" {
		t.Errorf("two invitations of one address have the ids %q and %q", id, again)
	}
	second, _ := s.invitation(t, guest.email, mail)
	guest.refused(accept, vars{"t": first}, "CODE_INVALID")
	list := invitationsOf(admin, guest.email)
	if len(list) != 1 || list[0]["userId"] != id || list[0]["invitedBy"] != admin.id || list[0]["acceptedAt"] != nil {
		t.Fatalf("invitations: %v", list)
	}
	if life := when(t, list[0]["expiresAt"].(string)).Sub(when(t, list[0]["createdAt"].(string))); life != 7*24*time.Hour {
		t.Errorf("the invitation expires after %v, want 7 days", life)
	}
	user.refused(invited, nil, "FORBIDDEN")
	guest.refused(signIn, vars{"e": guest.email, "p": password}, "INVALID_CREDENTIALS")
	guest.refused(accept, vars{"t": second, "p": "short"}, "PASSWORD_INVALID")
	if r := guest.must(accept, vars{"t": second, "p": password}); r.text("acceptInvitation", "user", "id") != id || r.at("acceptInvitation", "user", "verified") != true {
		t.Errorf("acceptInvitation: %s", r.Body)
	}
	guest.assertSignedIn("after accepting the invitation")
	guest.refused(accept, vars{"t": second}, "CODE_INVALID")
	guest.signIn(password)
	if len(invitationsOf(admin, guest.email)) != 0 {
		t.Error("an accepted invitation is listed as open")
	}
	revokingInvitations(t, s, mode, admin, user)
	withoutPassword(t, s, mode, admin)
}

func invitationsOf(admin *person, email string) (out []vars) {
	admin.t.Helper()
	all, _ := admin.must(invited, nil).at("invitations").([]any)
	for _, v := range all {
		if i := v.(vars); i["email"] == email {
			out = append(out, i)
		}
	}
	return out
}

func revokingInvitations(t *testing.T, s service, mode string, admin, user *person) {
	guest := s.newClient(t, mode)
	guest.email = address("unwanted")
	admin.must(invite, vars{"e": guest.email})
	link, _ := s.invitation(t, guest.email, "")
	id := invitationsOf(admin, guest.email)[0]["id"]
	user.refused(uninvite, vars{"i": id}, "FORBIDDEN")
	if r := admin.must(uninvite, vars{"i": id}); r.at("revokeInvitation") != true {
		t.Errorf("revokeInvitation: %s", r.Body)
	}
	admin.refused(uninvite, vars{"i": id}, "NOT_FOUND")
	admin.refused(uninvite, vars{"i": "x"}, "NOT_FOUND")
	guest.refused(accept, vars{"t": link}, "CODE_INVALID")
}

func withoutPassword(t *testing.T, s service, mode string, admin *person) {
	guest := s.newClient(t, mode)
	guest.email = address("passwordless")
	admin.must(invite, vars{"e": guest.email})
	link, _ := s.invitation(t, guest.email, "")
	guest.must(accept, vars{"t": link})
	guest.assertSignedIn("after accepting without a password")
	guest.refused(signIn, vars{"e": guest.email, "p": password}, "INVALID_CREDENTIALS")
	guest.must(forgot, vars{"e": guest.email})
	guest.must(reset, vars{"e": guest.email, "c": guest.code("password_reset", ""), "p": password})
	guest.signIn(password)
}

func listing(t *testing.T, s service, mode string) {
	admin, user := s.promoted(t, mode, "admin"), s.member(t, mode, "zzz-listed")
	second := s.member(t, mode, "zzz-listed")
	user.refused(people, nil, "FORBIDDEN")
	s.newClient(t, mode).refused(people, nil, "UNAUTHENTICATED")
	for _, first := range []int{0, -1, 101} {
		admin.refused(people, vars{"f": first}, "BAD_REQUEST")
	}
	admin.refused(people, vars{"a": "no cursor"}, "BAD_REQUEST")
	r := admin.must(people, vars{"f": 1, "s": "ZZZ-listed"})
	if r.text("users", "edges", 0, "node", "email") != second.email || r.at("users", "pageInfo", "hasNextPage") != true {
		t.Errorf("first page: %s", r.Body)
	}
	if r.text("users", "edges", 0, "node", "sessions", 0, "id") != second.session {
		t.Errorf("an admin does not see the user's session: %s", r.Body)
	}
	r = admin.must(people, vars{"f": 1, "s": "zzz-listed", "a": r.text("users", "pageInfo", "endCursor")})
	if r.text("users", "edges", 0, "node", "email") != user.email || r.at("users", "pageInfo", "hasNextPage") != false {
		t.Errorf("second page: %s", r.Body)
	}
	if r = admin.must(people, vars{"s": "nobody has this"}); r.at("users", "pageInfo", "endCursor") != nil {
		t.Errorf("an empty page: %s", r.Body)
	}
	if r = admin.must(person1, vars{"i": user.id}); r.text("user", "email") != user.email || r.text("user", "sessions", 0, "id") != user.session {
		t.Errorf("user: %s", r.Body)
	}
	for _, id := range []string{"1", "x", "", "9223372036854775807"} {
		if r = admin.must(person1, vars{"i": id}); r.at("user") != nil {
			t.Errorf("user %q: %s", id, r.Body)
		}
	}
	user.refused(person1, vars{"i": admin.id}, "FORBIDDEN")
	user.refused(person1, vars{"i": user.id}, "FORBIDDEN")
}

func roles(t *testing.T, s service, mode string) {
	owner, admin, user := s.promoted(t, mode, "owner"), s.promoted(t, mode, "admin"), s.member(t, mode, "riser")
	user.refused(setRole, vars{"i": user.id, "r": "OWNER"}, "FORBIDDEN")
	admin.refused(setRole, vars{"i": user.id, "r": "ADMIN"}, "FORBIDDEN")
	s.newClient(t, mode).refused(setRole, vars{"i": user.id, "r": "ADMIN"}, "UNAUTHENTICATED")
	owner.refused(setRole, vars{"i": "1", "r": "ADMIN"}, "NOT_FOUND")
	owner.refused(setRole, vars{"i": user.id, "r": "admin"}, "BAD_REQUEST")
	user.refused(people, nil, "FORBIDDEN")
	if r := owner.must(setRole, vars{"i": user.id, "r": "ADMIN"}); r.text("setRole", "role") != "ADMIN" || r.text("setRole", "id") != user.id {
		t.Errorf("setRole: %s", r.Body)
	}
	user.must(people, nil) // with the older token, whose role is USER
	owner.must(setRole, vars{"i": user.id, "r": "USER"})
	user.refused(people, nil, "FORBIDDEN")
	user.assertSignedIn("after a change of the role")
	owners := ownersBut(owner)
	for _, id := range owners {
		owner.must(setRole, vars{"i": id, "r": "USER"})
	}
	owner.refused(setRole, vars{"i": owner.id, "r": "ADMIN"}, "BAD_REQUEST")
	if r := owner.must(me, nil); r.text("me", "role") != "OWNER" {
		t.Errorf("me: %s", r.Body)
	}
}

func ownersBut(owner *person) (ids []string) {
	owner.t.Helper()
	all, _ := owner.must(people, vars{"f": 100}).at("users", "edges").([]any)
	for _, e := range all {
		if n := e.(vars)["node"].(vars); n["role"] == "OWNER" && n["id"] != owner.id {
			ids = append(ids, n["id"].(string))
		}
	}
	return ids
}

func actingOnOthers(t *testing.T, s service, mode string) {
	owner, admin, peer, user := s.promoted(t, mode, "owner"), s.promoted(t, mode, "admin"), s.promoted(t, mode, "admin"), s.member(t, mode, "user")
	const next = "a brand new password"
	user.refused(setPass, vars{"i": admin.id, "p": next}, "FORBIDDEN")
	user.refused(endAll, vars{"i": admin.id}, "FORBIDDEN")
	user.refused(remove, vars{"i": []string{admin.id}}, "FORBIDDEN")
	for _, above := range []string{peer.id, owner.id} {
		admin.refused(setPass, vars{"i": above, "p": next}, "FORBIDDEN")
		admin.refused(endAll, vars{"i": above}, "FORBIDDEN")
		admin.refused(remove, vars{"i": []string{user.id, above}}, "FORBIDDEN")
	}
	admin.refused(setPass, vars{"i": "1", "p": next}, "NOT_FOUND")
	admin.refused(setPass, vars{"i": user.id, "p": "short"}, "PASSWORD_INVALID")
	admin.refused(endAll, vars{"i": "x"}, "NOT_FOUND")
	admin.refused(remove, vars{"i": []string{user.id, "1"}}, "NOT_FOUND")
	admin.refused(remove, vars{"i": []string{user.id, admin.id}}, "CANNOT_DELETE_SELF")
	user.assertSignedIn("after a refused deletion of several users")

	user.as(byBearer)
	if r := admin.must(endAll, vars{"i": user.id}); r.at("adminEndSessions") != 2.0 {
		t.Errorf("adminEndSessions: %s", r.Body)
	}
	user.assertSignedOut("after an admin has ended the sessions")
	user.signIn(password)
	if r := admin.must(setPass, vars{"i": user.id, "p": next}); r.at("adminSetPassword") != true {
		t.Errorf("adminSetPassword: %s", r.Body)
	}
	user.assertSignedOut("after an admin has set the password")
	user.refused(signIn, vars{"e": user.email, "p": password}, "INVALID_CREDENTIALS")
	user.signIn(next)
	owner.must(endAll, vars{"i": peer.id})
	peer.assertSignedOut("after an owner has ended an admin's sessions")
	if r := owner.must(remove, vars{"i": []string{user.id, peer.id, user.id}}); r.at("adminDeleteUsers") != 2.0 {
		t.Errorf("adminDeleteUsers: %s", r.Body)
	}
	user.assertSignedOut("after the deletion")
	user.refused(signIn, vars{"e": user.email, "p": next}, "INVALID_CREDENTIALS")
	if r := owner.must(person1, vars{"i": user.id}); r.at("user") != nil {
		t.Errorf("a deleted user: %s", r.Body)
	}
	again := s.newClient(t, mode)
	again.email = user.email
	again.signUp(password)
	again.must(verify, vars{"e": again.email, "c": again.code("verification", s.newestBefore(t, again.email))})
	if again.signIn(password); again.id == user.id {
		t.Error("the id of a deleted user was used again")
	}
}

// newestBefore returns the second newest verification mail of an address.
func (s service) newestBefore(t *testing.T, to string) string {
	t.Helper()
	var ids []string
	for _, m := range s.Mailbox(to) {
		if m.Kind == "verification" {
			ids = append(ids, m.ID)
		}
	}
	if len(ids) < 2 {
		return ids[0]
	}
	return ids[1]
}

func auditing(t *testing.T, s service, mode string) {
	owner, admin, user := s.promoted(t, mode, "owner"), s.promoted(t, mode, "admin"), s.member(t, mode, "watched")
	admin.refused(auditLn, nil, "FORBIDDEN")
	user.refused(auditLn, nil, "FORBIDDEN")
	s.newClient(t, mode).refused(auditLn, nil, "UNAUTHENTICATED")
	owner.refused(auditLn, vars{"f": 101}, "BAD_REQUEST")
	owner.must(setRole, vars{"i": user.id, "r": "ADMIN"})
	admin.must(invite, vars{"e": address("audited")})
	r := owner.must(auditLn, vars{"u": user.id})
	newest := func(field string) any { return r.at("auditLog", "edges", 0, "node", field) }
	if newest("action") != "user.role_set" || newest("actor") != owner.id || newest("target") != user.id || newest("ip") != owner.header.Get("X-Forwarded-For") {
		t.Errorf("newest entry: %s", r.Body)
	}
	if age := time.Since(when(t, r.text("auditLog", "edges", 0, "node", "at"))); age < 0 || age > time.Minute {
		t.Errorf("%v ago", age)
	}
	var actions []string
	entries, _ := r.at("auditLog", "edges").([]any)
	for _, e := range entries {
		actions = append(actions, fmt.Sprint(e.(vars)["node"].(vars)["action"]))
	}
	for _, want := range []string{"user.verified", "session.started"} {
		if !slices.Contains(actions, want) {
			t.Errorf("no %s among %q", want, actions)
		}
	}
	first := owner.must(auditLn, vars{"f": 1})
	second := owner.must(auditLn, vars{"f": 1, "a": first.text("auditLog", "pageInfo", "endCursor")})
	if first.at("auditLog", "pageInfo", "hasNextPage") != true || first.text("auditLog", "edges", 0, "node", "id") <= second.text("auditLog", "edges", 0, "node", "id") {
		t.Errorf("pages: %s %s", first.Body, second.Body)
	}
	if r := owner.must(auditLn, vars{"u": "x"}); r.at("auditLog", "edges", 0) != nil {
		t.Errorf("entries of an unknown user: %s", r.Body)
	}
}
