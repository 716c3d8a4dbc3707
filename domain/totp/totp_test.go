package totp_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/totp"
	"github.com/octavo-books/octavo/test/fake"
	"github.com/octavo-books/octavo/test/must"
)

func secretOf(text string) (s totp.Secret) {
	copy(s[:], text)
	return s
}

// The values are those of RFC 6238, appendix B, cut to six digits, and of RFC 4226, appendix D.
func TestCodesAreThoseOfTheRFC(t *testing.T) {
	s := secretOf("12345678901234567890")
	for at, want := range map[int64]string{
		59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037", 20000000000: "353130",
	} {
		now := time.Unix(at, 0)
		if got := s.Code(totp.StepAt(now)); got != want {
			t.Errorf("at %d: %s, want %s", at, got, want)
		}
		if step, ok := s.Match(want, now, 0); !ok || step != at/30 {
			t.Errorf("at %d: step %d, %t", at, step, ok)
		}
	}
	for counter, want := range []string{"755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489"} {
		if got := s.Code(int64(counter)); got != want {
			t.Errorf("counter %d: %s, want %s", counter, got, want)
		}
	}
}

func TestACodeIsAcceptedOneStepEitherWayAndNoFurther(t *testing.T) {
	s := secretOf("12345678901234567890")
	now := time.Unix(1_789_000_000, 0)
	for off := int64(-4); off <= 4; off++ {
		step, ok := s.Match(s.Code(totp.StepAt(now)+off), now, 0)
		if want := off >= -1 && off <= 1; ok != want || ok && step != totp.StepAt(now)+off {
			t.Errorf("a code of %d steps away: step %d, %t", off, step, ok)
		}
	}
}

func TestACodeOfAUsedStepOrAnEarlierOneIsRefused(t *testing.T) {
	s := secretOf("12345678901234567890")
	now := time.Unix(1_789_000_000, 0)
	used := totp.StepAt(now)
	for step, want := range map[int64]bool{used - 1: false, used: false, used + 1: true} {
		if _, ok := s.Match(s.Code(step), now, used); ok != want {
			t.Errorf("step %d is accepted after %d: %t, want %t", step, used, ok, want)
		}
	}
}

func TestACodeOfAnotherSecretIsRefused(t *testing.T) {
	now := time.Unix(1_789_000_000, 0)
	if _, ok := secretOf("a").Match(secretOf("b").Code(totp.StepAt(now)), now, 0); ok {
		t.Error("accepted")
	}
	for _, bad := range []string{"", "1", "1234567", "abcdef"} {
		if _, ok := secretOf("a").Match(bad, now, 0); ok {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestAnAppReadsIssuerAccountAndSecretFromTheURI(t *testing.T) {
	s := secretOf("12345678901234567890")
	raw := s.URI("Books & Co: Campus", "ann+x@example.org")
	u := must.Get(url.Parse(raw))(t)
	q := u.Query()
	if u.Scheme != "otpauth" || u.Host != "totp" || u.Path != "/Books & Co  Campus:ann+x@example.org" || q.Get("issuer") != "Books & Co  Campus" ||
		q.Get("secret") != "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" || q.Get("algorithm") != "SHA1" || q.Get("digits") != "6" || q.Get("period") != "30" {
		t.Errorf("%s is read as %+v", raw, u)
	}
	if strings.Contains(raw, "+") { // some apps show a plus sign where a space is meant
		t.Error(raw)
	}
}

func TestSecretsAreRandom(t *testing.T) {
	random := fake.NewRandom(1)
	a, err := totp.NewSecret(random)
	b, err2 := totp.NewSecret(random)
	if err != nil || err2 != nil || a == b || len(a.String()) != 32 {
		t.Errorf("%s and %s, %v, %v", a, b, err, err2)
	}
	if _, err := totp.NewSecret(strings.NewReader("short")); err == nil {
		t.Error("a secret was made without randomness")
	}
}

func TestACodeIsReadHoweverItIsTyped(t *testing.T) {
	for in, out := range map[string]string{"123456": "123456", " 123 456\n": "123456", "123-456": "123456", "１２３４５６": "123456", "１２３　４５６": "123456"} {
		if got, ok := totp.ParseCode(in); !ok || got != out {
			t.Errorf("%q: %q, %t", in, got, ok)
		}
	}
	for _, in := range []string{"", "12345", "1234567", "12345x", "١٢٣٤٥٦", strings.Repeat(" ", 30) + "123456"} {
		if got, ok := totp.ParseCode(in); ok {
			t.Errorf("%q is parsed as %q", in, got)
		}
	}
}

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

// Whatever people type, it is one kind of code at most, and another spelling of the same one is
// the same.
func FuzzTypedCodes(f *testing.F) {
	for _, seed := range []string{"123456", "123 456", " 12\t34\n56 ", "１２３４５６", "7k3q-09ab-xw2m-h5tz", "7K3Q 09AB XW2M H5TZ", "OOOO-iiii-LLLL-0000", "", "-", "12345", strings.Repeat(" ", 30)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		code, ok := totp.ParseCode(typed)
		recovery, ok2 := totp.ParseRecoveryCode(typed)
		if ok && ok2 {
			t.Errorf("%q is both %q and %q", typed, code, recovery)
		}
		if again, same := totp.ParseCode(code); ok && (!same || again != code || len(code) != 6) {
			t.Errorf("%q is %q and then %q", typed, code, again)
		}
		if again, same := totp.ParseRecoveryCode(recovery); ok2 && (!same || again != recovery || len(recovery) != 16) {
			t.Errorf("%q is %q and then %q", typed, recovery, again)
		}
		var secret totp.Secret
		if step, matches := secret.Match(code, time.Unix(1_800_000_000, 0), 0); ok && matches && secret.Code(step) != code {
			t.Errorf("%q matches step %d", typed, step)
		}
	})
}

// Apps read the secret, the service and the account out of the address, whatever their names are.
func FuzzURI(f *testing.F) {
	f.Add("Octavo", "ann@example.edu")
	f.Add("A: B & C?secret=x", "o'hara+x%41@example.edu")
	f.Add("Universität #1", "")
	f.Fuzz(func(t *testing.T, issuer, account string) {
		secret := totp.Secret{1, 2, 3}
		u, err := url.Parse(secret.URI(issuer, account))
		if err != nil {
			t.Fatalf("%q, %q: %v", issuer, account, err)
		}
		q := u.Query()
		service, person, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), ":")
		if u.Scheme != "otpauth" || u.Host != "totp" || len(q["secret"]) != 1 || q.Get("secret") != secret.String() || q.Get("issuer") != service || person != account {
			t.Errorf("%q, %q: %s", issuer, account, u)
		}
	})
}
