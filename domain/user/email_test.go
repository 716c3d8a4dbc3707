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

func TestMetadataIsASmallObjectWithOneMeaning(t *testing.T) {
	for in, want := range map[string]string{
		` { "plan" : "gold", "seats": [1, 2.5, {"a": null}] } `: `{"plan":"gold","seats":[1,2.5,{"a":null}]}`,
		`{}`:                     "",
		`{"a":{"a":{"a":true}}}`: `{"a":{"a":{"a":true}}}`,
		`{"a":"` + strings.Repeat("x", user.MaxMetadata-8) + `"}`: `{"a":"` + strings.Repeat("x", user.MaxMetadata-8) + `"}`,
	} {
		if got, err := user.ParseMetadata(in); err != nil || got != want {
			t.Errorf("%.40s: %.40s, %v; want %.40s", in, got, err, want)
		}
	}
	for name, in := range map[string]string{
		"nothing": "", "null": "null", "a list": "[]", "a text": `"a"`, "a number": "1",
		"two objects": `{} {}`, "a rest": `{}x`, "an open object": `{"a":1`, "no JSON": `{a:1}`,
		"too much":              `{"a":"` + strings.Repeat("x", user.MaxMetadata-7) + `"}`,
		"a key twice":           `{"a":1,"a":2}`,
		"an escaped key twice":  `{"a":1,"\u0061":2}`,
		"a key twice, inside":   `{"b":[{"a":1,"a":2}]}`,
		"deep objects":          strings.Repeat(`{"a":`, 9) + "1" + strings.Repeat("}", 9),
		"deep lists":            `{"a":` + strings.Repeat("[", 400) + strings.Repeat("]", 400) + "}",
		"a huge number":         `{"a":1e999}`,
		"a huge number, inside": `{"a":[{"b":-1e400}]}`,
		"no UTF-8":              "{\"a\":\"\xff\"}",
	} {
		if got, err := user.ParseMetadata(in); !errors.Is(err, user.ErrMetadataInvalid) {
			t.Errorf("%s: %.40s, %v, want %v", name, got, err, user.ErrMetadataInvalid)
		}
	}
}

func FuzzParseMetadata(f *testing.F) {
	f.Add(`{"a":[1,{"b":"c"}]}`)
	f.Fuzz(func(t *testing.T, in string) {
		once, err := user.ParseMetadata(in)
		if err != nil || once == "" {
			return
		}
		if twice, err := user.ParseMetadata(once); err != nil || twice != once || len(once) > user.MaxMetadata {
			t.Fatalf("%q becomes %q and then %q, %v", in, once, twice, err)
		}
	})
}

func TestANameIsTrimmedAndHasNoControlCharacters(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "  ": "", " Ann Lee ": "Ann Lee", "Zoe\u0308": "Zo\u00eb", "\u200bAnn": "Ann", "\u200b": "", strings.Repeat("\u00eb", 100): strings.Repeat("\u00eb", 100),
	} {
		if got, err := user.CleanName(in); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"a\x00b", "a\nb", "a\tb", "a\u0085b", "a\ufffdb", "a\xffb", strings.Repeat("x", 101)} {
		if got, err := user.CleanName(in); !errors.Is(err, user.ErrNameInvalid) {
			t.Errorf("%q: %q, %v, want %v", in, got, err, user.ErrNameInvalid)
		}
	}
	if got, err := user.CleanReason("Spam,\r\nagain.\n"); err != nil || got != "Spam, again." {
		t.Errorf("a reason with line breaks is %q, %v", got, err)
	}
	for _, in := range []string{"", " ", "\n", "\u200b", "a\x00b", strings.Repeat("x", 301)} {
		if got, err := user.CleanReason(in); !errors.Is(err, user.ErrReasonInvalid) {
			t.Errorf("%q: %q, %v, want %v", in, got, err, user.ErrReasonInvalid)
		}
	}
}
