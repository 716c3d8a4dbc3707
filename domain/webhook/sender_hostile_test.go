package webhook_test

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
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

// allSenders are the predefined ones and a custom one of each scheme.
func allSenders(t *testing.T) map[string]*webhook.Sender {
	t.Helper()
	all := map[string]*webhook.Sender{}
	for _, s := range webhook.Senders() {
		all[s.Name()] = s
	}
	for _, scheme := range []string{"hmac-sha256-hex", "hmac-sha256-base64", "token"} {
		custom, err := webhook.CustomSender{EventHeader: "X-Event", IDHeader: "X-Id", SignatureHeader: "X-Signature", Scheme: scheme, Prefix: "v7="}.NewSender()
		if err != nil {
			t.Fatal(err)
		}
		all["custom "+scheme] = custom
	}
	return all
}

// signatureOf returns the header that has the signature, or the token.
func signatureOf(r webhook.Request) string {
	for name := range r.Header {
		if strings.Contains(name, "Signature") || strings.Contains(name, "Hmac") || strings.Contains(name, "Token") {
			return name
		}
	}
	return ""
}

func TestNoHostileVariantOfASignatureIsAccepted(t *testing.T) {
	now := time.Unix(1795357925, 0)
	e := webhook.Event{ID: "evt-7", Name: "push", Payload: []byte(`{"id":"evt-7","event_id":"evt-7","type":"push"}`)}
	all := allSenders(t)
	for sender, s := range all {
		key := senderKey(t, s, "A Secret of sixteen+")
		signed, err := key.SignRequest(e, now)
		if err != nil {
			t.Fatal(err)
		}
		name := signatureOf(signed)
		value := signed.Header[name][0]
		passes := func(r webhook.Request) bool { return s.Check(r) == nil && key.Verify(r, now) }
		if !passes(signed) {
			t.Fatalf("%s: its own signature does not pass", sender)
		}
		with := func(values ...string) webhook.Request {
			r := webhook.Request{Header: maps.Clone(signed.Header), Body: signed.Body}
			r.Header[name] = values
			return r
		}
		for what, changed := range hostile(value) {
			if s == webhook.Stripe && strings.Contains(what, "twice") {
				continue // of its several parts, one is the right v1
			}
			if changed != value && passes(with(changed)) {
				t.Errorf("%s: the signature %s passes", sender, what)
			}
		}
		if passes(with(value, value)) || passes(with("x", value)) || passes(with(value, "x")) || passes(with()) {
			t.Errorf("%s: a signature given twice, or not at all, passes", sender)
		}
		if senderKey(t, s, "A Secret of sixteen-").Verify(signed, now) || senderKey(t, s, "a secret of sixteen+").Verify(signed, now) {
			t.Errorf("%s: another key passes", sender)
		}
		for other, o := range all { // no sender takes the deliveries of another
			if o != s && o.Check(signed) == nil && senderKey(t, o, "A Secret of sixteen+").Verify(signed, now) {
				t.Errorf("%s: the sender %s accepts its delivery", sender, other)
			}
		}
	}
}

// What is signed cannot be exchanged: the body, and for some senders the time and the id.
func TestNoPartOfASignedRequestCanBeReplaced(t *testing.T) {
	now := time.Unix(1795357925, 0)
	e := webhook.Event{ID: "evt-7", Name: "push", Payload: []byte(`{"id":"evt-7","event_id":"evt-7","type":"push"}`)}
	for sender, s := range allSenders(t) {
		key := senderKey(t, s, "A Secret of sixteen+")
		signed, err := key.SignRequest(e, now)
		if err != nil {
			t.Fatal(err)
		}
		token := strings.Contains(sender, "token") || s == webhook.GitLab // which signs nothing
		for _, body := range []string{"", "{}", string(e.Payload) + " ", string(e.Payload[:len(e.Payload)-1]), strings.Replace(string(e.Payload), "push", "pull", 1)} {
			if key.Verify(webhook.Request{Header: signed.Header, Body: []byte(body)}, now) != token {
				t.Errorf("%s: the body %s passes", sender, body)
			}
		}
		if !s.UsesTimestamp() || token {
			continue
		}
		for _, off := range []time.Duration{-webhook.Tolerance - time.Second, webhook.Tolerance + time.Second, 24 * time.Hour} {
			if key.Verify(signed, now.Add(off)) {
				t.Errorf("%s: replayed after %s it passes", sender, off)
			}
		}
		for name, values := range signed.Header { // a fresh time beside the old signature
			fresh := webhook.Request{Header: maps.Clone(signed.Header), Body: signed.Body}
			later := now.Add(time.Hour)
			fresh.Header[name] = []string{strings.Replace(values[0], strconv.FormatInt(now.Unix(), 10), strconv.FormatInt(later.Unix(), 10), 1)}
			if key.Verify(fresh, later) {
				t.Errorf("%s: replayed with another time in %s it passes", sender, name)
			}
		}
	}
}

func TestEveryRequiredHeaderIsRequiredOnce(t *testing.T) {
	now := time.Unix(1795357925, 0)
	e := webhook.Event{ID: "evt-7", Name: "push", Payload: []byte(`{"id":"evt-7","event_id":"evt-7","type":"push"}`)}
	for sender, s := range allSenders(t) {
		signed, err := senderKey(t, s, "A Secret of sixteen+").SignRequest(e, now)
		if err != nil {
			t.Fatal(err)
		}
		for name, values := range signed.Header {
			for what, changed := range map[string][]string{"no": nil, "an empty": {""}, "a blank": {" "}, "a doubled": {values[0], values[0]}, "a contradicting second": {values[0], "other"}} {
				r := webhook.Request{Header: maps.Clone(signed.Header), Body: signed.Body}
				if http.Header(r.Header).Del(name); changed != nil {
					r.Header[name] = changed
				}
				err := s.Check(r)
				if err == nil || !slices.Contains(headersOf(err), strings.ToLower(name)) {
					t.Errorf("%s with %s %s: %v", sender, what, name, err)
				}
			}
		}
	}
}

func headersOf(err error) []string {
	if missing, ok := err.(*webhook.MissingHeadersError); ok { //nolint:errorlint // it is not wrapped
		return missing.Headers
	}
	return nil
}
