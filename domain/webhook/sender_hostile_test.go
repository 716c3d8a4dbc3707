package webhook_test

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

// hostile lists what must not pass for a signature or token, from a valid value.
func hostile(value string) map[string]string {
	digits := value[max(strings.LastIndexAny(value, "=,")+1, 0):]
	if strings.HasSuffix(value, "=") { // base64
		digits = value[strings.LastIndexByte(value, ',')+1:]
	}
	flipped := []byte(value)
	flipped[len(value)-3] ^= 1
	return map[string]string{
		"empty": "", "blank": " \t", "in capitals": strings.ToUpper(value), "in small letters": strings.ToLower(value), "without its prefix": digits,
		"with another prefix": "sha1=" + digits, "with its prefix twice": strings.TrimSuffix(value, digits) + value, "its prefix alone": strings.TrimSuffix(value, digits),
		"truncated": value[:len(value)-1], "halved": value[:len(value)/2], "longer": value + "0", "with another digit": string(flipped),
		"twice in one header": value + value, "with a null byte": value + "\x00", "after a null byte": "\x00" + value,
		"in quotes": `"` + value + `"`, "unpadded": strings.TrimRight(value, "="), "percent-encoded": strings.ReplaceAll(value, "=", "%3D"), "huge": strings.Repeat(value, 1000),
	}
}

// signatureOf returns the header that has the signature, or the token.
func signatureOf(s signable, r webhook.Request) string {
	for _, name := range s.SignedHeaders() {
		if len(r.Header[name]) > 0 {
			return name
		}
	}
	return ""
}

func TestNoHostileVariantOfASignatureIsAccepted(t *testing.T) {
	now := time.Unix(1795357925, 0)
	all := signables(t)
	for sender, s := range all {
		key, signed := s.signed(t, now)
		name := signatureOf(s, signed)
		value := signed.Header[name][0]
		passes := func(r webhook.Request) bool { return s.Check(r) == nil && key.Verify(r, now) }
		if !passes(signed) {
			t.Fatalf("%s: its own signature does not pass", sender)
		}
		for what, changed := range hostile(value) {
			if strings.Contains(value, "t=") && strings.Contains(what, "twice") || strings.Contains(value, ";") {
				continue // of its several parts, one is the right one
			}
			if changed != value && passes(with(signed, name, changed)) {
				t.Errorf("%s: the signature %s passes", sender, what)
			}
		}
		for _, values := range [][]string{{value, value}, {"x", value}, {value, "x"}, nil} {
			twice := with(signed, name, "")
			twice.Header[name] = values
			if passes(twice) {
				t.Errorf("%s: a signature given twice, or not at all, passes", sender)
			}
		}
		for other, o := range all { // no sender takes the deliveries of another, unless both sign alike
			theirs, _ := o.signed(t, now)
			if o.Sender != s.Sender && o.Check(signed) == nil && !slices.Contains(o.SignedHeaders(), name) && theirs.Verify(signed, now) {
				t.Errorf("%s: the sender %s accepts its delivery", sender, other)
			}
		}
	}
}

func TestAnotherSecretDoesNotVerify(t *testing.T) {
	now := time.Unix(1795357925, 0)
	for sender, s := range signables(t) {
		if s.secret != signingSecret {
			continue // a key pair
		}
		_, signed := s.signed(t, now)
		for _, other := range []string{"A Secret of sixteen-", "a secret of sixteen+", "A Secret of sixteen", "A Secret of sixteen++"} {
			if senderKey(t, s.Sender, other).Verify(signed, now) {
				t.Errorf("%s: the key %s passes", sender, other)
			}
		}
	}
}

// What is signed cannot be exchanged: a fresh time beside an old signature changes nothing.
func TestAnOldSignatureCannotBeUsedAgain(t *testing.T) {
	now := time.Unix(1795357925, 0)
	for sender, s := range signables(t) {
		key, signed := s.signed(t, now)
		if !s.UsesTimestamp() || s.isToken() {
			continue
		}
		for _, off := range []time.Duration{-webhook.Tolerance - time.Second, webhook.Tolerance + time.Second, 24 * time.Hour} {
			if err := key.Check(signed, now.Add(off)); !errors.Is(err, webhook.ErrTimestamp) {
				t.Errorf("%s: replayed after %s: %v, want %v", sender, off, err, webhook.ErrTimestamp)
			}
		}
		for name, values := range signed.Header {
			later := now.Add(time.Hour)
			fresh := with(signed, name, strings.Replace(values[0], strconv.FormatInt(now.Unix(), 10), strconv.FormatInt(later.Unix(), 10), 1))
			if key.Verify(fresh, later) {
				t.Errorf("%s: replayed with another time in %s it passes", sender, name)
			}
		}
	}
}

func TestEveryRequiredHeaderIsRequiredOnce(t *testing.T) {
	now := time.Unix(1795357925, 0)
	for sender, s := range signables(t) {
		_, signed := s.signed(t, now)
		for name, values := range signed.Header {
			if name == "Content-Type" || !slices.Contains(s.SignedHeaders(), name) && slices.Contains([]string{"razorpay", "sentry", "twilio"}, sender) { // which have ids elsewhere, too
				continue
			}
			for what, changed := range map[string][]string{"no": nil, "an empty": {""}, "a blank": {" "}, "a doubled": {values[0], values[0]}, "a contradicting second": {values[0], "other"}} {
				r := with(signed, name, "")
				if http.Header(r.Header).Del(name); changed != nil {
					r.Header[name] = changed
				}
				var missing *webhook.MissingHeadersError
				if err := s.Check(r); !errors.As(err, &missing) || !slices.Contains(missing.Headers, strings.ToLower(name)) {
					t.Errorf("%s with %s %s: %v", sender, what, name, err)
				}
			}
		}
	}
}

// A signature of a form's fields covers no other body: with that of an empty form anybody could
// send one.
func TestASignatureOfAFormCoversNoOtherBody(t *testing.T) {
	sender := must.Get(webhook.CustomSender{
		Signed: "{url}{form.sorted}", Signature: webhook.SignaturePlace{Header: "X-Sig"}, Bodies: []string{"form", "object", "text"},
	}.NewSender())(t)
	k, now := senderKey(t, sender, "a secret"), time.Unix(0, 0)
	request := func(kind, body string) webhook.Request {
		return webhook.Request{URL: "https://h.example/", Header: map[string][]string{"Content-Type": {kind}}, Body: []byte(body)}
	}
	signed := must.Get(k.Sign(request("application/x-www-form-urlencoded", ""), now))(t)
	for kind, body := range map[string]string{"application/json": `{"a":1}`, "text/plain": "a", "application/x-www-form-urlencoded": "a=%zz"} {
		if r := with(request(kind, body), "X-Sig", signed["X-Sig"]); k.Verify(r, now) {
			t.Errorf("%s %s is verified", kind, body)
		}
	}
	if r := with(request("application/x-www-form-urlencoded", ""), "X-Sig", signed["X-Sig"]); !k.Verify(r, now) {
		t.Error("the form itself is not verified")
	}
}

func TestAMalformedFormIsRefused(t *testing.T) {
	if _, err := (webhook.CustomSender{Signed: "{url}{form.sorted}", Signature: webhook.SignaturePlace{Header: "X-Sig"}}).NewSender(); err == nil || !strings.Contains(err.Error(), "bodies has no form") {
		t.Errorf("a sender without forms signs one: %v", err)
	}
	sender := must.Get(webhook.CustomSender{Signature: webhook.SignaturePlace{Header: "X-Sig"}, Bodies: []string{"form"}}.NewSender())(t)
	r := webhook.Request{Header: map[string][]string{"Content-Type": {"application/x-www-form-urlencoded"}}, Body: []byte("a=%zz")}
	must.Refuse(t, must.Err(sender.Event(r)), webhook.ErrPayload, "it is an event")
}

func TestATemplateOfMembersOfJSONTakesNeitherFormsNorTexts(t *testing.T) {
	for _, kind := range []string{"object", "array", "form", "text"} {
		_, err := webhook.CustomSender{Signed: "{json.at}", Signature: webhook.SignaturePlace{Header: "X-Sig"}, Bodies: []string{"object", kind}}.NewSender()
		refused := err != nil && strings.Contains(err.Error(), "covers nothing of the forms and texts")
		if want := kind == "form" || kind == "text"; refused != want {
			t.Errorf("%s: got %v", kind, err)
		}
	}
}
