package e2e_test

import (
	"strings"
	"testing"
)

// forbidden is an operation that a regular user may not run.
func forbidden(name, query string, v func(a *arena) vars) attack {
	return attack{name, func(t *testing.T, a *arena) { a.thief.refused(query, v(a), "FORBIDDEN") }}
}

var rightsAttacks = []attack{
	{"revoking somebody else's session", func(t *testing.T, a *arena) {
		a.thief.refused(revoke, vars{"i": a.victim.session}, "NOT_FOUND")
		a.admin.refused(revoke, vars{"i": a.victim.session}, "NOT_FOUND")
	}},
	forbidden("making oneself an owner", setRole, func(a *arena) vars { return vars{"i": a.thief.id, "r": "OWNER"} }),
	forbidden("reading somebody else's account", person1, func(a *arena) vars { return vars{"i": a.victim.id} }),
	forbidden("listing people as a user", people, func(*arena) vars { return nil }),
	forbidden("reading the audit log as a user", auditLn, func(*arena) vars { return nil }),
	forbidden("listing invitations as a user", invited, func(*arena) vars { return nil }),
	forbidden("inviting as a user", invite, func(*arena) vars { return vars{"e": "x@campus.edu"} }),
	forbidden("revoking an invitation as a user", uninvite, func(*arena) vars { return vars{"i": "1"} }),
	forbidden("setting somebody's password as a user", setPass, func(a *arena) vars { return vars{"i": a.victim.id, "p": "a brand new password"} }),
	forbidden("setting one's own password as an admin would", setPass, func(a *arena) vars { return vars{"i": a.thief.id, "p": "a brand new password"} }),
	forbidden("ending somebody's sessions as a user", endAll, func(a *arena) vars { return vars{"i": a.victim.id} }),
	forbidden("deleting somebody as a user", remove, func(a *arena) vars { return vars{"i": []string{a.victim.id}} }),
	{"an admin against an owner", func(t *testing.T, a *arena) {
		a.admin.refused(setPass, vars{"i": a.owner.id, "p": "a brand new password"}, "FORBIDDEN")
		a.admin.refused(endAll, vars{"i": a.owner.id}, "FORBIDDEN")
		a.admin.refused(remove, vars{"i": []string{a.owner.id}}, "FORBIDDEN")
		a.admin.refused(setRole, vars{"i": a.admin.id, "r": "OWNER"}, "FORBIDDEN")
		a.owner.in("the owner")
	}},
	{"an admin against another admin", func(t *testing.T, a *arena) {
		peer := a.promoted(t, byBearer, "admin")
		a.admin.refused(setPass, vars{"i": peer.id, "p": "a brand new password"}, "FORBIDDEN")
		a.admin.refused(endAll, vars{"i": peer.id}, "FORBIDDEN")
		a.admin.refused(remove, vars{"i": []string{peer.id}}, "FORBIDDEN")
		peer.in("the other admin")
	}},
	{"hiding an owner among those to delete", func(t *testing.T, a *arena) {
		pawn := a.member(t, byBearer, "pawn")
		a.admin.refused(remove, vars{"i": []string{pawn.id, a.owner.id, pawn.id}}, "FORBIDDEN")
		pawn.in("all or none")
	}},
	{"deleting oneself", func(t *testing.T, a *arena) {
		a.admin.refused(remove, vars{"i": []string{a.admin.id}}, "CANNOT_DELETE_SELF")
		a.owner.refused(remove, vars{"i": []string{a.owner.id}}, "CANNOT_DELETE_SELF")
	}},
	{"demoting the last owner", func(t *testing.T, a *arena) {
		a.owner.refused(setRole, vars{"i": a.owner.id, "r": "USER"}, "BAD_REQUEST")
	}},
	{"ids of strange shapes", func(t *testing.T, a *arena) {
		for _, id := range []string{"", "0", "-1", "01", "+1", "1 ", "1.0", "0x1", "٣", "9223372036854775808", "1' OR '1'='1", strings.Repeat("9", 1000), "null", "../1"} {
			a.owner.refused(endAll, vars{"i": id}, "NOT_FOUND")
			a.owner.refused(remove, vars{"i": []string{id}}, "NOT_FOUND")
			a.owner.refused(revoke, vars{"i": id}, "NOT_FOUND")
			if r := a.owner.must(person1, vars{"i": id}); r.at("user") != nil {
				t.Errorf("%q is an account: %s", id, r.Body)
			}
		}
	}},
	{"cursors of strange shapes", func(t *testing.T, a *arena) {
		for _, c := range []string{"x", "-1", "' OR 1=1", "1,2", strings.Repeat("9", 100)} {
			a.owner.refused(people, vars{"a": c}, "BAD_REQUEST")
			a.owner.refused(auditLn, vars{"a": c}, "BAD_REQUEST")
		}
	}},
}
