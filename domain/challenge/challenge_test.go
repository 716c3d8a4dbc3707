package challenge_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/test/fake"
	"github.com/octavo-books/octavo/test/must"
	"pgregory.net/rapid"
)

var noon = time.Date(2026, time.September, 7, 12, 0, 0, 0, time.UTC)

func TestACodeMatchesOnlyItsOwnChallenge(t *testing.T) {
	key := challenge.Key{1}
	const code = "01234567"
	c := key.New(challenge.SignUpCode, "ann@example.org", 7, code, noon)
	if !key.Matches(c, code) || key.Matches(c, "01234568") || (challenge.Key{2}).Matches(c, code) {
		t.Error("a digest does not depend on the code or on the key")
	}
	for name, other := range map[string]challenge.Challenge{
		"purpose": key.New(challenge.PasswordReset, "ann@example.org", 7, code, noon),
		"address": key.New(challenge.SignUpCode, "bob@example.org", 7, code, noon),
		"subject": key.New(challenge.SignUpCode, "ann@example.org", 8, code, noon),
		"link":    key.New(challenge.SignUpLink, "ann@example.org", 7, code, noon),
	} {
		if other.Digest == c.Digest {
			t.Errorf("a digest does not depend on the %s", name)
		}
	}
	link := key.New(challenge.Invitation, "ann@example.org", 7, "token", noon)
	if link.Digest != key.LinkDigest(challenge.Invitation, "token") || link.Digest == key.LinkDigest(challenge.SignUpLink, "token") {
		t.Error("a link's digest does not depend on its purpose and token alone")
	}
}

func TestAChallengeIsOpenUntilItIsUsedOrExpires(t *testing.T) {
	for purpose, lifetime := range map[challenge.Purpose]time.Duration{
		challenge.SignUpCode: 10 * time.Minute, challenge.PasswordReset: 10 * time.Minute,
		challenge.SignUpLink: 24 * time.Hour, challenge.Invitation: 7 * 24 * time.Hour,
	} {
		c := challenge.Key{}.New(purpose, "ann@example.org", 1, "x", noon)
		if !c.Open(noon.Add(lifetime-1)) || c.Open(noon.Add(lifetime)) {
			t.Errorf("%s does not expire after %s", purpose, lifetime)
		}
		c.UsedAt = noon
		if c.Open(noon) {
			t.Errorf("a used %s is open", purpose)
		}
	}
}

func TestCodesHaveEightDigitsAndLinks43Characters(t *testing.T) {
	random := fake.NewRandom(1)
	codes, links := map[string]bool{}, map[string]bool{}
	for range 1000 {
		code, err := challenge.NewCode(random)
		if parsed, perr := challenge.ParseCode(code); err != nil || perr != nil || parsed != code {
			t.Fatalf("code %q, %v, %v", code, err, perr)
		}
		link, err := challenge.NewLink(random)
		if err != nil || !challenge.IsLink(link) {
			t.Fatalf("link %q, %v", link, err)
		}
		codes[code], links[link] = true, true
	}
	if len(codes) < 999 || len(links) < 1000 {
		t.Errorf("only %d codes and %d links of 1,000 are different", len(codes), len(links))
	}
}

// The 32-bit numbers above the last multiple of 10^8 would make low codes more likely.
func TestEveryCodeIsEquallyLikely(t *testing.T) {
	unfair := []byte{0xff, 0xff, 0xff, 0xff}
	code, err := challenge.NewCode(bytes.NewReader(append(unfair, 0, 0, 0, 42)))
	if err != nil || code != "00000042" {
		t.Errorf("%q, %v", code, err)
	}
}

func TestGeneratingASecretFailsWithoutRandomness(t *testing.T) {
	if code, err := challenge.NewCode(strings.NewReader("abc")); err == nil {
		t.Errorf("code %q", code)
	}
	if link, err := challenge.NewLink(strings.NewReader("abc")); err == nil {
		t.Errorf("link %q", link)
	}
}

func TestACodeIsReadHoweverItIsTyped(t *testing.T) {
	for in, out := range map[string]string{"12345678": "12345678", " 1234 5678\n": "12345678", "1 2 3 4 5 6 7 8": "12345678", "１２３４５６７８": "12345678", "1234-5678": "12345678"} {
		if got, err := challenge.ParseCode(in); err != nil || got != out {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "1234567", "123456789", "1234567x", "١٢٣٤٥٦٧٨", "-1234567", strings.Repeat(" ", 40) + "12345678"} {
		if got, err := challenge.ParseCode(in); !errors.Is(err, challenge.ErrCodeInvalid) {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
}

func TestOnlyTokensFromNewLinkHaveTheFormOfALink(t *testing.T) {
	good := must.Get(challenge.NewLink(fake.NewRandom(2)))(t)
	for _, s := range []string{"", good[1:], good + "A", good + "=", good[:20] + "\n" + good[21:], good[:42] + "\n", strings.Repeat("/", 43), good[:42] + "B"} {
		if challenge.IsLink(s) {
			t.Errorf("%q is accepted as a link", s)
		}
	}
}

func FuzzParseCode(f *testing.F) {
	f.Add("12345678")
	f.Add(" 1234 5678 ")
	f.Fuzz(func(t *testing.T, s string) {
		code, err := challenge.ParseCode(s)
		if err == nil && (len(code) != 8 || strings.Trim(code, "0123456789") != "") {
			t.Fatalf("%q is parsed as %q", s, code)
		}
	})
}

func TestEveryCodeHasEightDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.Byte(), 40, 40).Draw(t, "random")
		if code, err := challenge.NewCode(bytes.NewReader(b)); err == nil && len(code) != 8 {
			t.Fatalf("%q", code)
		}
	})
}

// attempt adds n attempts of one client and returns how many were allowed.
func attempt(t *challenge.Attempts, by challenge.Client, n int) (allowed int) {
	for range n {
		next, ok := t.Add(by)
		if *t = next; ok {
			allowed++
		}
	}
	return allowed
}

func TestUnknownClientsCannotUseUpTheAttemptsOfAKnownOne(t *testing.T) {
	var attempts challenge.Attempts
	all := 0
	for i := range 40 {
		n := attempt(&attempts, challenge.Client{Key: fmt.Sprintf("192.0.2.%d", i)}, 7)
		if n > challenge.MaxAttempts {
			t.Fatalf("%d attempts by one client", n)
		}
		all += n
	}
	if all != challenge.MaxUnknownAttempts || len(attempts.ByClient) > challenge.MaxUnknownAttempts {
		t.Errorf("%d attempts by unknown clients, %d clients are stored", all, len(attempts.ByClient))
	}
	if n := attempt(&attempts, challenge.Client{Key: "198.51.100.1", Known: true}, 7); n != challenge.MaxAttempts {
		t.Errorf("%d attempts by a known client", n)
	}
}

func TestAttemptsBeforeAClientBecameKnownStillCount(t *testing.T) {
	var attempts challenge.Attempts
	attempt(&attempts, challenge.Client{Key: "a"}, 3)
	if n := attempt(&attempts, challenge.Client{Key: "a", Known: true}, 7); n != 2 {
		t.Errorf("%d more attempts are allowed", n)
	}
}

func TestAddDoesNotChangeTheValueItIsCalledOn(t *testing.T) {
	var attempts challenge.Attempts
	attempt(&attempts, challenge.Client{Key: "a"}, 1)
	before := attempts
	attempt(&attempts, challenge.Client{Key: "a"}, 1)
	if before.ByClient["a"] != 1 || attempts.ByClient["a"] != 2 {
		t.Errorf("%v became %v", before, attempts)
	}
}
