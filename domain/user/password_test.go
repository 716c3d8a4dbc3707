package user_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func TestTheLengthOfAPasswordIsCountedInCharactersAfterNFC(t *testing.T) {
	for in, good := range map[string]bool{
		"kqwzmvp":                    false,
		"kqwzmvpx":                   true,
		"žluťoučk":                   true,
		strings.Repeat("e\u0301", 7): false, // seven letters in NFC, fourteen as typed
		"e\u0301zo\u0308qa\u0300wk":  false, "e\u0301zo\u0308qa\u0300wkp": true,
		strings.Repeat("x", 128):                              true,
		strings.Repeat("x", 129):                              false,
		"k" + strings.Repeat("ab cd ef gh ", 10) + "wxyz qr":  true,
		"k" + strings.Repeat("ab cd ef gh ", 10) + "wxyz qrs": false,
		"four score and 7 years":                              true,
		"💐🌵🍄🌾🐚🪨🍁🌸":                                            true,
	} {
		if _, err := user.NewPassword(in, "ann@example.org"); (err == nil) != good {
			t.Errorf("%q (%d characters): %v", in, utf8.RuneCountInString(in), err)
		}
	}
}

func TestBothUnicodeSpellingsOfAPasswordAreCompared(t *testing.T) {
	composed := must.Get(user.NewPassword("p\u00e9ch\u00e9 du jour", ""))(t)
	for raw, forms := range map[string][]user.Password{
		"p\u00e9ch\u00e9 du jour":   {composed},
		"pe\u0301che\u0301 du jour": {composed, "pe\u0301che\u0301 du jour"}, // an imported hash may be of this form
	} {
		if typed, ok := user.TypedPassword(raw); !ok || !slices.Equal(typed, forms) {
			t.Errorf("%q is compared as %q", raw, typed)
		}
	}
}

func TestTheErrorOfARefusedPasswordSaysWhyAndDoesNotRepeatIt(t *testing.T) {
	for in, why := range map[string]string{
		"short":                   "8 to 128",
		strings.Repeat("x", 1e6):  "8 to 128",
		"\xff\xfe\xfd\xfc binary": "8 to 128",
		"tab\tin the middle":      "control",
		"nul\x00in the middle":    "control",
		"a lone \ufffdsurrogate":  "invalid",
		"Ann@Example.org":         "address",
		"iloveyou":                "common",
	} {
		_, err := user.NewPassword(in, "ann@example.org")
		if !errors.Is(err, user.ErrPasswordInvalid) {
			t.Fatalf("%.20q: %v, want %v", in, err, user.ErrPasswordInvalid)
		}
		e := fault.As(err)
		if !strings.Contains(e.Msg, why) || e.Fields["password"] == "" || strings.Contains(e.Msg, in) {
			t.Errorf("%.20q: %q, %v", in, e.Msg, e.Fields)
		}
	}
}

func TestCommonPasswordsAreRefused(t *testing.T) {
	for _, in := range []string{
		"password", "Password", "PASSWORD1", "password123", "password2026", "passw0rd", "p@ssw0rd", "12345678", "123456789", "1234567890", "87654321",
		"qwertyui", "qwertyuiop", "asdfghjkl", "zxcvbnm123", "qwerty123", "1q2w3e4r", "1qaz2wsx", "abcdefgh", "abcd1234", "88888888",
		"abcabcabc", "iloveyou1", "sunshine", "princess", "football", "baseball", "superman", "trustno1", "letmein1", "welcome1", "welcome123",
		"monkey123", "dragon123", "michael1", "jennifer", "jordan23", "starwars", "computer", "whatever", "corvette", "mercedes", "samantha",
		"liverpool", "chocolate", "butterfly", "qwertz123", "11111111", "00000000", "11223344", "112233445566", "abc12345", "charlie1", "elizabeth", "ashley12",
	} {
		_, err := user.NewPassword(in, "")
		if err == nil {
			t.Errorf("%q is accepted", in)
		}
	}
}

func TestUncommonPasswordsAreAccepted(t *testing.T) {
	for _, in := range []string{
		"correct horse battery staple", "S3cret-Passw0rd", "Tr0ub4dor&3", "kaffee um halb vier", "mauve otter 12", "Passw0rd!x", "my dog ate 3 shoes", "zürich im november",
	} {
		if _, err := user.NewPassword(in, "ann@example.org"); err != nil {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func TestARepetitivePasswordIsAcceptedUnlessItIsListed(t *testing.T) {
	for _, unit := range []string{"a", "x", "Z", "é", "😀", " ", "ab", "x1", "xk", "abcd"} {
		for _, units := range []int{user.MinPassword, user.MaxPassword / utf8.RuneCountInString(unit)} {
			in := strings.Repeat(unit, units)
			if _, err := user.NewPassword(in, "ann@example.org"); err != nil {
				t.Errorf("%d times %q: %v", units, unit, err)
			}
		}
	}
	for _, in := range []string{"00000000", "11111111", "88888888", "12121212"} {
		if _, err := user.NewPassword(in, "ann@example.org"); err == nil {
			t.Errorf("%q is accepted", in)
		}
	}
}

func TestTheLengthOfATypedPasswordIsLimited(t *testing.T) {
	for in, good := range map[string]bool{"": false, "x": true, "short": true, strings.Repeat("x", 2048): true, strings.Repeat("x", 2049): false, "\xff": false} {
		if _, ok := user.TypedPassword(in); ok != good {
			t.Errorf("%.20q: %v, want %v", in, ok, good)
		}
	}
}

func TestNoTwoTextsAreTheSamePassword(t *testing.T) {
	for _, typed := range []string{
		"correct horse\x00correct horse", // to bcrypt the same as once
		"correct horse\x00",
		"correct \ufffdorse", // what JSON decoders make of any unpaired surrogate
		"correct\thorse", "correct horse\n", "correct\u0085horse", "correct\x7fhorse",
	} {
		if forms, ok := user.TypedPassword(typed); ok {
			t.Errorf("%q is compared as %q", typed, forms)
		}
		if _, err := user.NewPassword(typed, ""); !errors.Is(err, user.ErrPasswordInvalid) {
			t.Errorf("%q may be chosen: %v, want %v", typed, err, user.ErrPasswordInvalid)
		}
	}
}

func FuzzNewPassword(f *testing.F) {
	for _, seed := range []string{"password", "correct horse", "e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301", "\xff\xff\xff\xff\xff\xff\xff\xff"} {
		f.Add(seed, "ann@example.org")
	}
	f.Fuzz(func(t *testing.T, in, email string) {
		p, err := user.NewPassword(in, user.Email(email))
		if err != nil {
			return
		}
		if n := utf8.RuneCountInString(string(p)); n < user.MinPassword || n > user.MaxPassword || !utf8.ValidString(string(p)) {
			t.Fatalf("%q has %d characters", p, n)
		}
		if again, ok := user.TypedPassword(in); !ok || again[0] != p {
			t.Fatalf("typed again it is %q, %v, was %q", again, ok, p)
		}
	})
}
