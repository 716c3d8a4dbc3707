package webhook_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

func key(t testing.TB, secret string) *webhook.Key {
	t.Helper()
	return must.Get(webhook.NewKey(secret))(t)
}

func TestASignatureIsTheHMACOfThePublishedTestVector(t *testing.T) {
	const want = "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843" // RFC 4231, case 2
	if got := key(t, "Jefe").Sign([]byte("what do ya want for nothing?")).String(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAKeyVerifiesOnlyItsOwnSignatures(t *testing.T) {
	k, payload := key(t, "one"), []byte(`{"a":1.0}`)
	s := k.Sign(payload)
	if !k.Verify(payload, s) {
		t.Error("its own signature is refused")
	}
	if key(t, "two").Verify(payload, s) || k.Verify([]byte(`{"a":1}`), s) || k.Verify(payload, webhook.Signature{}) {
		t.Error("a foreign signature is accepted")
	}
}

func TestAnEmptySecretIsRefused(t *testing.T) {
	if _, err := webhook.NewKey(""); !errors.Is(err, webhook.ErrNoSecret) {
		t.Errorf("got %v, want %v", err, webhook.ErrNoSecret)
	}
}

func TestOnlyTheExactFormOfASignatureIsParsed(t *testing.T) {
	good := key(t, "s").Sign([]byte("x")).String()
	must.Get(webhook.ParseSignature(good))(t)
	for _, text := range []string{
		"", "sha256=", good[7:], "sha1=" + good[7:], "sha1=" + good[7:47], "SHA256=" + good[7:], strings.ToUpper(good), "sha256=" + strings.ToUpper(good[7:]),
		good[:70], good + "0", good + " ", " " + good, good + "," + good, "sha256=" + good, strings.Replace(good, "=", ":", 1),
		"sha256=" + strings.Repeat("g", 64), "sha256=" + strings.Repeat("é", 32), "sha256=" + strings.Repeat("\x00", 64), strings.Repeat("a", 1<<20),
	} {
		if _, err := webhook.ParseSignature(text); !errors.Is(err, webhook.ErrSignatureForm) {
			t.Errorf("%.80q is parsed, or fails with %v, want %v", text, err, webhook.ErrSignatureForm)
		}
	}
}

func TestAKeyIsSafeForConcurrentUse(t *testing.T) {
	k := key(t, "s")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			payload := []byte(strings.Repeat("x", i*100))
			for range 200 {
				if !k.Verify(payload, k.Sign(payload)) {
					t.Error("a signature was mixed up")
					return
				}
			}
		})
	}
	wg.Wait()
}

func FuzzParseSignature(f *testing.F) {
	f.Add("sha256=" + strings.Repeat("0a", 32))
	f.Add("sha256=" + strings.Repeat("0A", 32))
	f.Add("sha1=da39a3ee5e6b4b0d3255bfef95601890afd80709")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := webhook.ParseSignature(text)
		digits, found := strings.CutPrefix(text, "sha256=")
		raw, hexErr := hex.DecodeString(digits)
		lower := strings.ToLower(digits) == digits
		if good := found && hexErr == nil && lower && len(raw) == sha256.Size; good != (err == nil) {
			t.Fatalf("ParseSignature(%q): %v", text, err)
		}
		if err == nil && (s.String() != text || !hmac.Equal(s[:], raw)) {
			t.Fatalf("%q reads as %s", text, s)
		}
	})
}
