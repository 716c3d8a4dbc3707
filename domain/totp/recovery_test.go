package totp_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/totp"
	"github.com/octavo-books/octavo/test/fake"
)

var readable = regexp.MustCompile(`^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){3}$`)

func TestTenRecoveryCodesAreReadableAndDifferent(t *testing.T) {
	random, seen := fake.NewRandom(1), map[string]bool{}
	for range 100 {
		codes, err := totp.NewRecoveryCodes(random)
		if err != nil || len(codes) != 10 {
			t.Fatalf("%d codes, %v; want 10", len(codes), err)
		}
		for _, code := range codes {
			if !readable.MatchString(code) || seen[code] {
				t.Fatalf("%q is unreadable or was made before", code)
			}
			seen[code] = true
		}
	}
	if _, err := totp.NewRecoveryCodes(strings.NewReader("short")); err == nil {
		t.Error("codes were made without randomness")
	}
}

func TestARecoveryCodeIsReadHoweverItIsTyped(t *testing.T) {
	for _, typed := range []string{"7k3q-09ab-xw2m-h1tz", "7K3Q 09AB XW2M H1TZ", "7k3q09abxw2mh1tz", " 7k3q-O9ab-xw2m-hltz\n", "7k3q-o9ab-xw2m-hItz", "７ｋ３ｑ－０９ａｂ－ｘｗ２ｍ－ｈ１ｔｚ"} {
		if got, ok := totp.ParseRecoveryCode(typed); !ok || got != "7k3q09abxw2mh1tz" {
			t.Errorf("%q: %q, %t", typed, got, ok)
		}
	}
	for _, bad := range []string{"", "123456", "7k3q-09ab-xw2m-h1t", "7k3q-09ab-xw2m-h1tzz", "7k3q-09ab-xw2m-h1t!", "7k3q-09ab-xw2m-h1tu", strings.Repeat(" ", 90) + "7k3q09abxw2mh1tz"} {
		if got, ok := totp.ParseRecoveryCode(bad); ok {
			t.Errorf("%q is read as %q", bad, got)
		}
	}
}

func TestARecoveryCodeBelongsToOneSecret(t *testing.T) {
	a, b := secretOf("a"), secretOf("b")
	digests := []totp.Digest{a.RecoveryDigest("x"), a.RecoveryDigest("y")}
	for code, want := range map[string]int{"x": 0, "y": 1, "z": -1} {
		if got := a.MatchRecovery(code, digests); got != want {
			t.Errorf("%q is at %d, want %d", code, got, want)
		}
	}
	if got := b.MatchRecovery("x", digests); got != -1 {
		t.Errorf("the code of another account is at %d, want -1", got)
	}
}
