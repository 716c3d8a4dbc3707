package totp_test

import (
	"net/url"
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
