package e2e_test

import (
	"strings"
	"testing"
)

// forbidden is an operation that a regular user may not run.
func forbidden(name, query string, v func(a *attackFixture) vars) attack {
	return attack{name, func(t *testing.T, a *attackFixture) { a.attacker.refused(query, v(a), "FORBIDDEN") }}
}

var rightsAttacks = []attack{
	{"revoking another user's session", func(t *testing.T, a *attackFixture) {
		a.attacker.refused(revoke, vars{"i": a.victim.session}, "NOT_FOUND")
		a.admin.refused(revoke, vars{"i": a.victim.session}, "NOT_FOUND")
	}},
	forbidden("promoting oneself to owner", setRole, func(a *attackFixture) vars { return vars{"i": a.attacker.id, "r": "OWNER"} }),
	forbidden("reading another user's account", person1, func(a *attackFixture) vars { return vars{"i": a.victim.id} }),
	forbidden("listing users as a regular user", people, func(*attackFixture) vars { return nil }),
	forbidden("reading the audit log as a regular user", auditLn, func(*attackFixture) vars { return nil }),
	forbidden("listing invitations as a regular user", invited, func(*attackFixture) vars { return nil }),
	forbidden("inviting as a regular user", invite, func(*attackFixture) vars { return vars{"e": "x@campus.edu"} }),
	forbidden("revoking an invitation as a regular user", uninvite, func(*attackFixture) vars { return vars{"i": "1"} }),
	forbidden("setting another user's password as a regular user", setPass, func(a *attackFixture) vars { return vars{"i": a.victim.id, "p": "a brand new password"} }),
	forbidden("setting one's own password by the operation for admins", setPass, func(a *attackFixture) vars { return vars{"i": a.attacker.id, "p": "a brand new password"} }),
	forbidden("ending another user's sessions as a regular user", endAll, func(a *attackFixture) vars { return vars{"i": a.victim.id} }),
	forbidden("deleting another user as a regular user", remove, func(a *attackFixture) vars { return vars{"i": []string{a.victim.id}} }),
	{"changing an owner as an admin", func(t *testing.T, a *attackFixture) {
		a.admin.refused(setPass, vars{"i": a.owner.id, "p": "a brand new password"}, "FORBIDDEN")
		a.admin.refused(endAll, vars{"i": a.owner.id}, "FORBIDDEN")
		a.admin.refused(remove, vars{"i": []string{a.owner.id}}, "FORBIDDEN")
		a.admin.refused(setRole, vars{"i": a.admin.id, "r": "OWNER"}, "FORBIDDEN")
		a.owner.assertSignedIn("the owner, after refused changes")
	}},
	{"changing another admin as an admin", func(t *testing.T, a *attackFixture) {
		peer := a.promoted(t, byBearer, "admin")
		a.admin.refused(setPass, vars{"i": peer.id, "p": "a brand new password"}, "FORBIDDEN")
		a.admin.refused(endAll, vars{"i": peer.id}, "FORBIDDEN")
		a.admin.refused(remove, vars{"i": []string{peer.id}}, "FORBIDDEN")
		peer.assertSignedIn("the other admin, after refused changes")
	}},
	{"deleting an owner in a list of users", func(t *testing.T, a *attackFixture) {
		regular := a.member(t, byBearer, "regular")
		a.admin.refused(remove, vars{"i": []string{regular.id, a.owner.id, regular.id}}, "FORBIDDEN")
		regular.assertSignedIn("a user of the refused list")
	}},
	{"deleting oneself", func(t *testing.T, a *attackFixture) {
		a.admin.refused(remove, vars{"i": []string{a.admin.id}}, "CANNOT_DELETE_SELF")
		a.owner.refused(remove, vars{"i": []string{a.owner.id}}, "CANNOT_DELETE_SELF")
	}},
	{"demoting the last owner", func(t *testing.T, a *attackFixture) {
		a.owner.refused(setRole, vars{"i": a.owner.id, "r": "USER"}, "BAD_REQUEST")
	}},
	{"malformed ids", func(t *testing.T, a *attackFixture) {
		for _, id := range []string{"", "0", "-1", "01", "+1", "1 ", "1.0", "0x1", "٣", "9223372036854775808", "1' OR '1'='1", strings.Repeat("9", 1000), "null", "../1"} {
			a.owner.refused(endAll, vars{"i": id}, "NOT_FOUND")
			a.owner.refused(remove, vars{"i": []string{id}}, "NOT_FOUND")
			a.owner.refused(revoke, vars{"i": id}, "NOT_FOUND")
			if r := a.owner.must(person1, vars{"i": id}); r.at("user") != nil {
				t.Errorf("an account has the id %q: %s", id, r.Body)
			}
		}
	}},
	{"malformed cursors", func(t *testing.T, a *attackFixture) {
		for _, c := range []string{"x", "-1", "' OR 1=1", "1,2", strings.Repeat("9", 100)} {
			a.owner.refused(people, vars{"a": c}, "BAD_REQUEST")
			a.owner.refused(auditLn, vars{"a": c}, "BAD_REQUEST")
		}
	}},
}
