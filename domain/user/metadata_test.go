package user_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
)

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
	for _, in := range []string{"", " ", "\u200b", "a\nb", strings.Repeat("x", 301)} {
		if got, err := user.CleanReason(in); !errors.Is(err, user.ErrReasonInvalid) {
			t.Errorf("%q: %q, %v, want %v", in, got, err, user.ErrReasonInvalid)
		}
	}
}
