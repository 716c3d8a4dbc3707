package campus_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/campus"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func parse(t *testing.T, list string) campus.Domains {
	t.Helper()
	return must.Get(campus.Parse(list))(t)
}

func TestADomainAdmitsItsAddressesAndThoseBelowIt(t *testing.T) {
	d := parse(t, "EDU, ac.uk,Uni-Heidelberg.de , xn--bcher-kva.example")
	for address, want := range map[user.Email]bool{
		"ann@mit.edu": true, "ann@cs.mit.edu": true, "ann@ox.ac.uk": true, "ann@ac.uk": true, "ann@uni-heidelberg.de": true,
		"ann@stud.uni-heidelberg.de": true, "ann@xn--bcher-kva.example": true,
		"ann@mit.edu.evil.org": false, "ann@notac.uk": false, "ann@evil-uni-heidelberg.de": false, "ann@xedu": false, "ann@co.uk": false,
		"edu@evil.org": false, "ann@uni-heidelberg.de.org": false, "ac.uk@evil.org": false,
	} {
		if d.Admits(address) != want {
			t.Errorf("%s is admitted: %t", address, !want)
		}
	}
	if d := (campus.Domains{}); !d.Admits("ann@mit.edu") || d.Admits("ann@ox.ac.uk") || d.University("ann@mit.edu") != "" {
		t.Error("by default other addresses than .edu are admitted")
	}
}

func TestTheLongestDomainNamesTheUniversity(t *testing.T) {
	d := must.Get(campus.ParseFile("\ufeff# who may join\n\nac.uk, A University\r\nOx.AC.uk,  University of Oxford, England \nuni-heidelberg.de,Universita\u0308t Heidelberg\n"))(t)
	for address, want := range map[user.Email]string{
		"ann@keble.ox.ac.uk": "University of Oxford, England", "ann@ox.ac.uk": "University of Oxford, England", "ann@notox.ac.uk": "A University",
		"ann@uni-heidelberg.de": "Universität Heidelberg", "ann@mit.edu": "",
	} {
		if got := d.University(address); got != want || d.Admits(address) != (want != "") {
			t.Errorf("%s is at %q, want %q", address, got, want)
		}
	}
	if !d.Named() || parse(t, "edu").Named() || (campus.Domains{}).Named() {
		t.Error("it is not known whether the domains have universities")
	}
}

func TestABadDomainIsNamedWithItsLine(t *testing.T) {
	for list, want := range map[string]string{
		"": `"" is not a domain`, "edu,": `"" is not a domain`, ".edu": `".edu" is not`, "*.edu": `"*.edu" is not`, "a b": `"a b" is not`, "ann@mit.edu": "is not",
		"https://mit.edu": "is not", "bücher.example": "Punycode", "edu,EDU": "edu is listed twice", "1": "is not", "-a.de": "is not",
	} {
		if _, err := campus.Parse(list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", list, err)
		}
	}
	for text, want := range map[string]string{
		"":                                  "no line has a domain and its university, as in: ox.ac.uk, University of Oxford",
		"# x\n\nox.ac.uk":                   "line 3: ox.ac.uk has no university",
		"ox.ac.uk,":                         "line 1: ox.ac.uk has no university",
		"a.uk, A\nb .uk, B":                 `line 2: "b .uk" is not a domain`,
		"a.uk, A\n\nA.UK, B":                "line 3: a.uk is listed twice",
		"a.uk, A\x07":                       "line 1: the name of a university",
		"a.uk, \u200b":                      "line 1: the name of a university",
		"a.uk, " + strings.Repeat("x", 101): "line 1: the name of a university",
		"University of Oxford, ox.ac.uk":    `line 1: "University of Oxford" is not a domain`,
	} {
		if _, err := campus.ParseFile(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestTheRefusalSaysWhatAddressesEndIn(t *testing.T) {
	for _, c := range []struct{ list, msg, why string }{
		{"edu", "Please use your university email address. It ends in .edu.", "must end in .edu"},
		{"uni-heidelberg.de,ac.uk", "Please use your university email address. It ends in ac.uk or uni-heidelberg.de.", "must end in ac.uk or uni-heidelberg.de"},
		{"a.uk,b.uk,c.uk,d.uk", "Please use your university email address.", "must be an address of your university"},
	} {
		err := parse(t, c.list).Refusal("email")
		if f := fault.As(err); !errors.Is(err, campus.ErrAddress) || f.Msg != c.msg || f.Fields["email"] != c.why {
			t.Errorf("%s: %+v", c.list, f)
		}
	}
}
