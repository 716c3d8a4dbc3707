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

// waiting is a person whose sign-up waits for its code.
func (a *arena) waiting(t *testing.T, name string) (*person, string) {
	t.Helper()
	p := a.nobody(t, byBearer)
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
	{"200 parallel guesses of a verification code", func(t *testing.T, a *arena) {
		p, code := a.waiting(t, "guessed")
		together(200, func(i int) {
			if r := a.nobody(t, byBearer).run(verify, vars{"e": p.email, "c": guess(code, i)}); r.at("verifyEmail") == true {
				t.Error("a wrong code was accepted")
			}
		})
		p.refused(verify, vars{"e": p.email, "c": code}, "CODE_INVALID")
	}},
	{"200 parallel guesses of a reset code", func(t *testing.T, a *arena) {
		p := a.member(t, byBearer, "guessed")
		p.must(forgot, vars{"e": p.email})
		code := p.code("password_reset", "")
		together(200, func(i int) {
			if r := a.nobody(t, byBearer).run(reset, vars{"e": p.email, "c": guess(code, i), "p": "a brand new password"}); r.at("resetPassword") == true {
				t.Error("a wrong code was accepted")
			}
		})
		a.nobody(t, byBearer).refused(reset, vars{"e": p.email, "c": code, "p": "a brand new password"}, "CODE_INVALID")
		p.in("guessing ends no session")
		p.must(reset, vars{"e": p.email, "c": code, "p": "a brand new password"}) // the guesses came from another client
	}},
	{"five guesses of a code from one place", func(t *testing.T, a *arena) {
		p, code := a.waiting(t, "five")
		thief := a.nobody(t, byBearer)
		for i := range 5 {
			thief.refused(verify, vars{"e": p.email, "c": guess(code, i)}, "CODE_INVALID")
		}
		thief.refused(verify, vars{"e": p.email, "c": code}, "CODE_INVALID")
		p.must(verify, vars{"e": p.email, "c": code})
	}},
	{"using up the reset mails of somebody", func(t *testing.T, a *arena) {
		p := a.member(t, byBearer, "mails")
		for range 10 {
			a.nobody(t, byBearer).must(forgot, vars{"e": p.email})
		}
		p.code("password_reset", "")
		theirs := p.newest("password_reset")
		p.must(forgot, vars{"e": p.email})
		p.must(reset, vars{"e": p.email, "c": p.code("password_reset", theirs), "p": "a brand new password"})
	}},
	{"replacing the code that somebody has asked for", func(t *testing.T, a *arena) {
		p := a.member(t, byBearer, "replaced")
		p.must(forgot, vars{"e": p.email})
		code, own := p.code("password_reset", ""), p.newest("password_reset")
		a.nobody(t, byBearer).must(forgot, vars{"e": p.email})
		p.code("password_reset", own)
		p.must(reset, vars{"e": p.email, "c": code, "p": "a brand new password"})
	}},
	{"many uses of one code at once", func(t *testing.T, a *arena) {
		p := a.member(t, byBearer, "double")
		p.must(forgot, vars{"e": p.email})
		code := p.code("password_reset", "")
		used := make([]bool, 4)
		together(len(used), func(i int) {
			r := a.nobody(t, byBearer).run(reset, vars{"e": p.email, "c": code, "p": fmt.Sprintf("a brand new password %d", i)})
			used[i] = r.at("resetPassword") == true
		})
		if n := len(slices.DeleteFunc(used, func(ok bool) bool { return !ok })); n != 1 {
			t.Errorf("one code was used %d times", n)
		}
	}},
	{"a verification code for a reset", func(t *testing.T, a *arena) {
		p := a.member(t, byBearer, "purpose")
		q, code := a.waiting(t, "purpose")
		a.nobody(t, byBearer).refused(reset, vars{"e": p.email, "c": code, "p": "a brand new password"}, "CODE_INVALID")
		a.nobody(t, byBearer).refused(reset, vars{"e": q.email, "c": code, "p": "a brand new password"}, "CODE_INVALID")
	}},
	{"a reset code for a verification", func(t *testing.T, a *arena) {
		p := a.member(t, byBearer, "purpose")
		p.must(forgot, vars{"e": p.email})
		p.refused(verify, vars{"e": p.email, "c": p.code("password_reset", "")}, "CODE_INVALID")
	}},
	{"one's own code for somebody else's address", func(t *testing.T, a *arena) {
		_, mine := a.waiting(t, "mine")
		other, _ := a.waiting(t, "other")
		a.nobody(t, byBearer).refused(verify, vars{"e": other.email, "c": mine}, "CODE_INVALID")
	}},
	{"a code that a newer one has replaced", func(t *testing.T, a *arena) {
		p, old := a.waiting(t, "replaced")
		before := p.newest("verification")
		p.must(resend, vars{"e": p.email})
		fresh := p.code("verification", before)
		if old != fresh {
			p.refused(verify, vars{"e": p.email, "c": old}, "CODE_INVALID")
		}
		p.must(verify, vars{"e": p.email, "c": fresh})
	}},
	{"codes in strange writing", func(t *testing.T, a *arena) {
		p, code := a.waiting(t, "strange")
		arabic := strings.Map(func(c rune) rune { return c - '0' + '٠' }, code)
		for _, bad := range []string{"", "0", arabic, code + "0", "+" + code[1:], "-1", "1e7", "0x000000", code + "\x00", strings.Repeat("0", 100_000), "%", "________"} {
			a.nobody(t, byBearer).refused(verify, vars{"e": p.email, "c": bad}, "CODE_INVALID")
		}
	}},
	{"guessing an invitation", func(t *testing.T, a *arena) {
		guest := address("invited")
		a.admin.must(invite, vars{"e": guest})
		link, _ := a.invitation(t, guest, "")
		thief := a.nobody(t, byBearer)
		for _, bad := range []string{"", "x", flip(link), link + "A", link[1:], strings.ToUpper(link), strings.Repeat("A", 43)} {
			thief.refused(accept, vars{"t": bad}, "CODE_INVALID")
		}
		thief.must(accept, vars{"t": link})
	}},
	{"accepting one invitation many times at once", func(t *testing.T, a *arena) {
		guest := address("invited")
		a.admin.must(invite, vars{"e": guest})
		link, _ := a.invitation(t, guest, "")
		in := make([]bool, 10)
		together(len(in), func(i int) { in[i] = a.nobody(t, byBearer).run(accept, vars{"t": link}).Code() == "" })
		if n := len(slices.DeleteFunc(in, func(ok bool) bool { return !ok })); n != 1 {
			t.Errorf("one invitation was accepted %d times", n)
		}
	}},
	{"a mail flood by resets", func(t *testing.T, a *arena) {
		p := a.member(t, byBearer, "flooded")
		for range 20 {
			if r := a.nobody(t, byBearer).must(forgot, vars{"e": p.email}); r.at("requestPasswordReset") != true {
				t.Errorf("answered %s", r.Body)
			}
		}
		a.flooded(t, p, "password_reset", 1)
	}},
	{"a mail flood by resends", func(t *testing.T, a *arena) {
		p, _ := a.waiting(t, "flooded")
		for range 20 {
			a.nobody(t, byBearer).must(resend, vars{"e": p.email})
		}
		a.flooded(t, p, "verification", 2)
	}},
	{"a mail flood by sign-ups", func(t *testing.T, a *arena) {
		p, _ := a.waiting(t, "flooded")
		for range 15 {
			a.nobody(t, byBearer).must(signUp, vars{"e": p.email, "p": password})
		}
		a.flooded(t, p, "verification", 10)
	}},
}

// flooded counts the mails of a kind. It first waits for a later mail to another person, so
// that all of them are sent.
func (a *arena) flooded(t *testing.T, p *person, kind string, most int) {
	t.Helper()
	a.waiting(t, "marker")
	n := 0
	for _, m := range a.Mailbox(p.email) {
		if m.Kind == kind {
			n++
		}
	}
	if n == 0 || n > most {
		t.Errorf("%d %s mails, at most %d are due", n, kind, most)
	}
}
