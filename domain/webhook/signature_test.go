package webhook_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"net/http"
	"strings"
	"testing"
	"time"

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
	must.Refuse(t, must.Err(webhook.NewKey("")), webhook.ErrNoSecret)
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
	must.Together(8, func(i int) {
		payload := []byte(strings.Repeat("x", i*100))
		for range 200 {
			if !k.Verify(payload, k.Sign(payload)) {
				t.Error("a signature was mixed up")
				return
			}
		}
	})
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

// macOf is an HMAC as another program would make it.
func macOf(algorithm func() hash.Hash, secret, text string) []byte {
	h := hmac.New(algorithm, []byte(secret))
	h.Write([]byte(text))
	return h.Sum(nil)
}

// hmacHex is the HMAC of a text with the secret of most tests.
func hmacHex(text string) string { return hex.EncodeToString(macOf(sha256.New, "hush", text)) }

func hexBytes(text string) []byte {
	bytes, _ := hex.DecodeString(text)
	return bytes
}

func TestASampleHasTheHeadersThatTheSenderSigns(t *testing.T) {
	now := time.Unix(1795357925, 0)
	sender := must.Get(webhook.CustomSender{
		Signed: "{header.X-Region}|{header.X-Time}|{body}", Signature: webhook.SignaturePlace{Header: "X-Sig"}, Timestamp: webhook.TimestampPlace{Header: "X-Time"},
	}.NewSender())(t)
	for want, header := range map[string]map[string]string{"sample": nil, "eu": {"X-Region": "eu"}} {
		r, err := senderKey(t, sender, "a secret").SignRequest(webhook.Event{Payload: []byte(`{}`), Header: header}, now)
		if err != nil || sender.Check(r) != nil || !senderKey(t, sender, "a secret").Verify(r, now) || r.Header["X-Region"][0] != want {
			t.Errorf("it signs %v, %v", r.Header, err)
		}
	}
}

func TestASampleMayHaveItsSignatureInTheBody(t *testing.T) {
	now := time.Unix(1795357925, 0)
	custom := must.Get(webhook.CustomSender{
		Signed: "{json.sign.time}{json.data.id}{json.data.kind}", Signature: webhook.SignaturePlace{JSON: "sign.value"},
		Timestamp: webhook.TimestampPlace{JSON: "sign.time", Unit: "rfc3339"}, Event: webhook.Place{JSON: "data.type"}, ID: webhook.Place{JSON: "data.id"},
	}.NewSender())(t)
	for _, sender := range []*webhook.Sender{custom, webhook.Mailgun, webhook.Graph} {
		k := senderKey(t, sender, "a secret")
		body, _ := sender.SamplePayload("sent", "", "7", now)
		r, err := k.SignSample("https://h.example/", webhook.Event{ID: "7", Name: "sent", Payload: body}, now)
		if err != nil || sender.Check(r) != nil || !k.Verify(r, now) || senderKey(t, sender, "another").Verify(r, now) {
			t.Errorf("%s signs %s, %v", sender.Name(), r.Body, err)
		}
		if e, err := sender.Event(r); err != nil || e.ID != "7" || e.Name != "sent" {
			t.Errorf("%s delivers %+v, %v", sender.Name(), e, err)
		}
		if _, err := k.SignRequestTo("https://h.example/", webhook.Event{Payload: body}, now); !errors.Is(err, webhook.ErrCannotSign) {
			t.Errorf("%s signs in headers: %v", sender.Name(), err)
		}
	}
}

func TestASampleOfEverySenderIsADeliveryOfIt(t *testing.T) {
	now := time.Unix(1795357925, 0)
	for name, s := range signables(t) {
		body, kind := s.SamplePayload("push", "opened", "evt-7", now)
		k := must.Get(s.Key(s.secret))(t)
		e := webhook.Event{ID: "evt-7", Name: "push", Payload: body, Header: map[string]string{"Content-Type": kind}}
		r, err := k.SignRequestTo(signedURL, e, now)
		if err != nil {
			t.Fatal(name, err)
		}
		http.Header(r.Header).Set("Content-Type", kind)
		if s.Check(r) != nil || k.Check(r, now) != nil || !s.TakesType(r) {
			t.Errorf("%s: %s is refused: %v, %v", name, body, s.Check(r), k.Check(r, now))
		}
		got, err := s.Event(r)
		if err != nil || got.Name != "push" && got.Name != "webhook" || got.ID != "evt-7" && !webhook.IsBodyHash(got.ID) {
			t.Errorf("%s: %s is read as %q %q: %v", name, body, got.Name, got.ID, err)
		}
		if _, err := s.ScanPayload(body); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
