package user_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
	"pgregory.net/rapid"
)

func TestAnAddressIsTrimmedAndLowerCasedAndNothingElse(t *testing.T) {
	for in, out := range map[string]user.Email{
		"ann@example.org":              "ann@example.org",
		" \tAnn.Lee+x@Example.ORG\r\n": "ann.lee+x@example.org",
		"o'neil_{}~!#$%&*-/=?^`|@a.b":  "o'neil_{}~!#$%&*-/=?^`|@a.b",
		"a@xn--bcher-kva.example":      "a@xn--bcher-kva.example",
		"1@2.c3":                       "1@2.c3",
	} {
		if got, err := user.ParseEmail(in); err != nil || got != out {
			t.Errorf("ParseEmail(%q) = %q, %v", in, got, err)
		}
	}
}

func TestAnythingButABareAddressIsRefused(t *testing.T) {
	for _, in := range []string{
		"", "@", "ann", "ann@", "@example.org", "ann@localhost", "ann@example.", "ann@.example.org", "ann@exa..mple.org",
		"ann@-example.org", "ann@example-.org", "ann@example.123", "a@b@c.org", ".ann@example.org", "ann.@example.org", "a..b@example.org",
		`"ann"@example.org`, "Ann <ann@example.org>", "<ann@example.org>", "ann@[127.0.0.1]", "ann(x)@example.org", "ann@bücher.example",
		"änn@example.org", "ann@example.org,bob@example.org", "ann @example.org", "ann@exam ple.org", "ann@example.org\r\nBcc: x@y.org",
		"ann\x00@example.org", "ann@example.org\x00", "ann\n@example.org", "\x00ann@example.org", "ann@example.org\x7f", "a\u200b@example.org",
		"ann@example.org.", "ann@exam_ple.org", strings.Repeat("a", 65) + "@example.org", "a@" + strings.Repeat("a", 64) + ".org",
		"a@" + strings.Repeat("abcdefg.", 32) + "org", "ann@ex\u212ample.org", "\xff@example.org",
	} {
		if got, err := user.ParseEmail(in); !errors.Is(err, user.ErrEmailInvalid) {
			t.Errorf("ParseEmail(%q) = %q, %v", in, got, err)
		}
	}
}

func TestTheLongestAddressHas254Bytes(t *testing.T) {
	host := strings.Repeat(strings.Repeat("b", 62)+".", 2) + strings.Repeat("c", 59) + ".org" // 189 bytes
	longest := strings.Repeat("a", 64) + "@" + host
	if _, err := user.ParseEmail(longest); err != nil || len(longest) != 254 {
		t.Errorf("%d bytes: %v", len(longest), err)
	}
	if _, err := user.ParseEmail(strings.Repeat("a", 64) + "@d" + host); err == nil {
		t.Error("255 bytes are accepted")
	}
}

func TestParsingAParsedAddressChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.StringMatching(`[ ]?[A-Za-z0-9.+_-]{1,70}@([A-Za-z0-9-]{1,66}\.){1,4}[a-zA-Z0-9]{1,5}`).Draw(t, "address")
		once, err := user.ParseEmail(in)
		if err != nil {
			return
		}
		if twice, err := user.ParseEmail(string(once)); err != nil || twice != once {
			t.Fatalf("%q became %q, then %q, %v", in, once, twice, err)
		}
	})
}

func FuzzParseEmail(f *testing.F) {
	for _, seed := range []string{"ann@example.org", " A@B.C ", "a@b", "a\r\n@b.c", "\xff@b.c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		e, err := user.ParseEmail(in)
		if err != nil {
			return
		}
		if len(e) > 254 || strings.Count(string(e), "@") != 1 || strings.ContainsFunc(string(e), func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
			t.Fatalf("ParseEmail(%q) = %q", in, e)
		}
	})
}
