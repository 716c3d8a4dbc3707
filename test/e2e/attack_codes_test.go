package e2e_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func body(t testing.TB, query string, v vars) []byte {
	t.Helper()
	b, err := json.Marshal(vars{"query": query, "variables": v})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// signUpUnverified signs up a new address and returns the client and the code of its verification mail.
func (a *attackFixture) signUpUnverified(t *testing.T, name string) (*person, string) {
	t.Helper()
	p := a.newClient(t, byBearer)
	p.email = address(name)
	p.signUp(password)
	return p, p.code("verification", "")
}

// guess returns the i-th wrong code.
func guess(right string, i int) string {
	if c := fmt.Sprintf("%08d", i); c != right {
		return c
	}
	return "99999999"
}

var codeAttacks = []attack{
	{"200 parallel guesses of a verification code", func(t *testing.T, a *attackFixture) {
		p, code := a.signUpUnverified(t, "guessed")
		together(200, func(i int) {
			if r := a.newClient(t, byBearer).run(verify, vars{"e": p.email, "c": guess(code, i)}); r.at("verifyEmail") == true {
				t.Error("a wrong code was accepted")
			}
		})
		p.refused(verify, vars{"e": p.email, "c": code}, "CODE_INVALID")
	}},
	{"200 parallel guesses of a reset code", func(t *testing.T, a *attackFixture) {
		p := a.member(t, byBearer, "guessed")
		p.must(forgot, vars{"e": p.email})
		code := p.code("password_reset", "")
		together(200, func(i int) {
			if r := a.newClient(t, byBearer).run(reset, vars{"e": p.email, "c": guess(code, i), "p": "a brand new password"}); r.at("resetPassword") == true {
				t.Error("a wrong code was accepted")
			}
		})
		a.newClient(t, byBearer).refused(reset, vars{"e": p.email, "c": code, "p": "a brand new password"}, "CODE_INVALID")
		p.assertSignedIn("after the guesses")
		p.must(reset, vars{"e": p.email, "c": code, "p": "a brand new password"}) // the guesses came from another client
	}},
	{"five guesses of a code by one client", func(t *testing.T, a *attackFixture) {
		p, code := a.signUpUnverified(t, "five")
		attacker := a.newClient(t, byBearer)
		for i := range 5 {
			attacker.refused(verify, vars{"e": p.email, "c": guess(code, i)}, "CODE_INVALID")
		}
		attacker.refused(verify, vars{"e": p.email, "c": code}, "CODE_INVALID")
		p.must(verify, vars{"e": p.email, "c": code})
	}},
	{"exhausting another user's limit of reset mails", func(t *testing.T, a *attackFixture) {
		p := a.member(t, byBearer, "mails")
		for range 10 {
			a.newClient(t, byBearer).must(forgot, vars{"e": p.email})
		}
		p.code("password_reset", "")
		theirs := p.newest("password_reset")
		p.must(forgot, vars{"e": p.email})
		p.must(reset, vars{"e": p.email, "c": p.code("password_reset", theirs), "p": "a brand new password"})
	}},
	{"replacing another user's reset code by a request of one's own", func(t *testing.T, a *attackFixture) {
		p := a.member(t, byBearer, "replaced")
		p.must(forgot, vars{"e": p.email})
		code, own := p.code("password_reset", ""), p.newest("password_reset")
		a.newClient(t, byBearer).must(forgot, vars{"e": p.email})
		p.code("password_reset", own)
		p.must(reset, vars{"e": p.email, "c": code, "p": "a brand new password"})
	}},
	{"concurrent uses of one code", func(t *testing.T, a *attackFixture) {
		p := a.member(t, byBearer, "double")
		p.must(forgot, vars{"e": p.email})
		code := p.code("password_reset", "")
		used := make([]bool, 4)
		together(len(used), func(i int) {
			r := a.newClient(t, byBearer).run(reset, vars{"e": p.email, "c": code, "p": fmt.Sprintf("a brand new password %d", i)})
			used[i] = r.at("resetPassword") == true
		})
		if n := len(slices.DeleteFunc(used, func(ok bool) bool { return !ok })); n != 1 {
			t.Errorf("one code was used %d times", n)
		}
	}},
	{"a verification code for a reset", func(t *testing.T, a *attackFixture) {
		p := a.member(t, byBearer, "purpose")
		q, code := a.signUpUnverified(t, "purpose")
		a.newClient(t, byBearer).refused(reset, vars{"e": p.email, "c": code, "p": "a brand new password"}, "CODE_INVALID")
		a.newClient(t, byBearer).refused(reset, vars{"e": q.email, "c": code, "p": "a brand new password"}, "CODE_INVALID")
	}},
	{"a reset code for a verification", func(t *testing.T, a *attackFixture) {
		p := a.member(t, byBearer, "purpose")
		p.must(forgot, vars{"e": p.email})
		p.refused(verify, vars{"e": p.email, "c": p.code("password_reset", "")}, "CODE_INVALID")
	}},
	{"the code of another address", func(t *testing.T, a *attackFixture) {
		_, mine := a.signUpUnverified(t, "mine")
		other, _ := a.signUpUnverified(t, "other")
		a.newClient(t, byBearer).refused(verify, vars{"e": other.email, "c": mine}, "CODE_INVALID")
	}},
	{"a code that was replaced by a newer one", func(t *testing.T, a *attackFixture) {
		p, old := a.signUpUnverified(t, "replaced")
		before := p.newest("verification")
		p.must(resend, vars{"e": p.email})
		fresh := p.code("verification", before)
		if old != fresh {
			p.refused(verify, vars{"e": p.email, "c": old}, "CODE_INVALID")
		}
		p.must(verify, vars{"e": p.email, "c": fresh})
	}},
	{"malformed codes", func(t *testing.T, a *attackFixture) {
		p, code := a.signUpUnverified(t, "malformed")
		arabic := strings.Map(func(c rune) rune { return c - '0' + '٠' }, code)
		for _, bad := range []string{"", "0", arabic, code + "0", "+" + code[1:], "-1", "1e7", "0x000000", code + "\x00", strings.Repeat("0", 100_000), "%", "________"} {
			a.newClient(t, byBearer).refused(verify, vars{"e": p.email, "c": bad}, "CODE_INVALID")
		}
	}},
	{"guesses of an invitation token", func(t *testing.T, a *attackFixture) {
		guest := address("invited")
		a.admin.must(invite, vars{"e": guest})
		link, _ := a.invitation(t, guest, "")
		attacker := a.newClient(t, byBearer)
		for _, bad := range []string{"", "x", flip(link), link + "A", link[1:], strings.ToUpper(link), strings.Repeat("A", 43)} {
			attacker.refused(accept, vars{"t": bad}, "CODE_INVALID")
		}
		attacker.must(accept, vars{"t": link})
	}},
	{"concurrent acceptances of one invitation", func(t *testing.T, a *attackFixture) {
		guest := address("invited")
		a.admin.must(invite, vars{"e": guest})
		link, _ := a.invitation(t, guest, "")
		in := make([]bool, 10)
		together(len(in), func(i int) { in[i] = a.newClient(t, byBearer).run(accept, vars{"t": link}).Code() == "" })
		if n := len(slices.DeleteFunc(in, func(ok bool) bool { return !ok })); n != 1 {
			t.Errorf("one invitation was accepted %d times", n)
		}
	}},
	{"flooding a mailbox with reset mails", func(t *testing.T, a *attackFixture) {
		p := a.member(t, byBearer, "flooded")
		for range 20 {
			if r := a.newClient(t, byBearer).must(forgot, vars{"e": p.email}); r.at("requestPasswordReset") != true {
				t.Errorf("answered %s", r.Body)
			}
		}
		a.checkMailLimit(t, p, "password_reset", 1)
	}},
	{"flooding a mailbox with resent codes", func(t *testing.T, a *attackFixture) {
		p, _ := a.signUpUnverified(t, "flooded")
		for range 20 {
			a.newClient(t, byBearer).must(resend, vars{"e": p.email})
		}
		a.checkMailLimit(t, p, "verification", 2)
	}},
	{"flooding a mailbox with sign-ups", func(t *testing.T, a *attackFixture) {
		p, _ := a.signUpUnverified(t, "flooded")
		for range 15 {
			a.newClient(t, byBearer).must(signUp, vars{"e": p.email, "p": password})
		}
		a.checkMailLimit(t, p, "verification", 10)
	}},
}

// checkMailLimit counts the mails of a kind. It first waits for a later mail to another person, so
// that all of them are sent.
func (a *attackFixture) checkMailLimit(t *testing.T, p *person, kind string, most int) {
	t.Helper()
	a.signUpUnverified(t, "marker")
	n := 0
	for _, m := range a.Mailbox(p.email) {
		if m.Kind == kind {
			n++
		}
	}
	if n == 0 || n > most {
		t.Errorf("%d %s mails were sent, want 1 to %d", n, kind, most)
	}
}
