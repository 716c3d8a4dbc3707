package webhook_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

// signable is a sender that can sign what it verifies, with a secret and a delivery of its
// form. The id is evt-7 or a hash, the event push.
type signable struct {
	*webhook.Sender
	secret, body string
}

const signingSecret = "A Secret of sixteen+"

// bodies are those of senders that have event or id elsewhere than most.
var bodies = map[string]string{
	"paddle": `{"event_type":"push","event_id":"evt-7"}`, "typeform": `{"event_type":"push","event_id":"evt-7"}`,
	"zoom": `{"event":"push"}`, "calendly": `{"event":"push"}`, "paystack": `{"event":"push"}`, "razorpay": `{"event":"push"}`,
	"intercom": `{"topic":"push","id":"evt-7"}`, "meta": `{"object":"push"}`, "trello": `{"action":{"type":"push","id":"evt-7"}}`,
	"pagerduty": `{"event":{"event_type":"push","id":"evt-7"}}`, "linear": `{"action":"create","webhookTimestamp":1795357925000}`,
	"hubspot": `[{"subscriptionType":"push"}]`, "sendgrid": `[{"sg_event_id":"evt-7"}]`, "discord": `{"id":"evt-7","type":"push"}`,
	"twilio": "MessageStatus=push&Body=a+b%20c&Body=a",
}

// types are the content types that are not JSON.
var types = map[string]string{"twilio": "application/x-www-form-urlencoded"}

const signedURL = "https://hooks.example/of/sender?x=a%2Fb&y=1"

// cannotSign are the senders that sign elsewhere than in headers, or with a certificate.
var cannotSign = []string{"mailgun", "paypal", "sns", "graph"}

// signables are all senders that can sign, and a custom one of each short scheme.
func signables(t testing.TB) map[string]signable {
	t.Helper()
	seed := []byte(strings.Repeat("k", 32))
	all := map[string]signable{}
	for _, s := range webhook.Senders() {
		if slices.Contains(cannotSign, s.Name()) {
			continue
		}
		one := signable{s, signingSecret, bodies[s.Name()]}
		if one.body == "" {
			one.body = `{"id":"evt-7","event_id":"evt-7","type":"push"}`
		}
		switch s.Name() {
		case "discord":
			one.secret = hex.EncodeToString(ed25519.NewKeyFromSeed(seed))
		case "sendgrid":
			one.secret = base64.StdEncoding.EncodeToString(seed)
		}
		all[s.Name()] = one
	}
	all["gitlab with a signing token"] = signable{webhook.GitLab, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", all["gitlab"].body}
	for _, scheme := range []string{"hmac-sha256-hex", "hmac-sha256-base64", "token"} {
		custom := must.Get(webhook.CustomSender{EventHeader: "X-Event", IDHeader: "X-Id", SignatureHeader: "X-Signature", Scheme: scheme, Prefix: "v7="}.NewSender())(t)
		all["custom "+scheme] = signable{custom, signingSecret, `{"type":"push"}`}
	}
	return all
}

// signed returns the key of the sender and a request that it has signed.
func (s signable) signed(t testing.TB, now time.Time) (*webhook.SenderKey, webhook.Request) {
	t.Helper()
	k, err := s.Key(s.secret)
	if err != nil {
		t.Fatal(s.Name(), err)
	}
	e := webhook.Event{ID: "evt-7", Name: "push", Payload: []byte(s.body), Header: map[string]string{"Content-Type": "application/json"}}
	if kind := types[s.Name()]; kind != "" {
		e.Header["Content-Type"] = kind
	}
	r, err := k.SignRequestTo(signedURL, e, now)
	if err != nil {
		t.Fatal(s.Name(), err)
	}
	r.Header["Content-Type"] = []string{e.Header["Content-Type"]}
	return k, r
}

// isToken reports whether the sender sends its secret and signs nothing.
func (s signable) isToken() bool { return len(s.SecretHeaders()) > 0 }

// with returns the request with another header.
func with(r webhook.Request, name, value string) webhook.Request {
	header := http.Header(r.Header).Clone()
	header[name] = []string{value}
	r.Header = header
	return r
}

// changes returns texts that differ from one in the byte at i.
func changes(text string, i int) (all []string) {
	for _, c := range []byte{text[i] ^ 1, text[i] ^ 0x20, '0', 'A', ' '} {
		if c != text[i] {
			all = append(all, text[:i]+string(c)+text[i+1:])
		}
	}
	return all
}

// Whatever a sender signs it accepts, and nothing that differs in one byte of the body, the
// signature or the time.
func TestEverySenderAcceptsWhatItSignsAndRefusesEveryChangedByte(t *testing.T) {
	now := time.Unix(1795357925, 0)
	for name, s := range signables(t) {
		k, r := s.signed(t, now)
		if err := k.Check(r, now); err != nil || s.Check(r) != nil || !s.TakesType(r) {
			t.Errorf("%s refuses what it signs: %v, %v, %v", name, r.Header, err, s.Check(r))
			continue
		}
		e, err := s.Event(r)
		if err != nil || e.ID != "evt-7" && !webhook.IsBodyHash(e.ID) || e.Name != "push" && e.Name != "webhook" {
			t.Errorf("%s delivers %q %q: %v", name, e.ID, e.Name, err)
		}
		for i := range len(s.body) {
			for _, changed := range changes(s.body, i) {
				if other := (webhook.Request{Method: r.Method, URL: r.URL, Header: r.Header, Body: []byte(changed)}); k.Verify(other, now) && !s.isToken() && !sameForm(s, changed) {
					t.Errorf("%s accepts the body %s", name, changed)
				}
			}
		}
		for header, values := range r.Header {
			if !slices.Contains(s.SignedHeaders(), header) {
				continue
			}
			for i := range len(values[0]) {
				for _, changed := range changes(values[0], i) {
					if k.Verify(with(r, header, changed), now) && strings.TrimSpace(changed) != values[0] {
						t.Errorf("%s accepts %s: %s", name, header, changed)
					}
				}
			}
		}
	}
}

// sameForm reports whether a changed form has the same fields as before: a space can be written
// in two ways.
func sameForm(s signable, changed string) bool {
	return types[s.Name()] != "" && strings.ReplaceAll(changed, " ", "+") == s.body
}

func TestWhatASenderSignsDependsOnTheURLOnlyWhereItSaysSo(t *testing.T) {
	now := time.Unix(1795357925, 0)
	signs := []string{"square", "hubspot", "twilio", "trello"}
	for name, s := range signables(t) {
		k, r := s.signed(t, now)
		r.URL = "https://hooks.example/of/others"
		if got, want := k.Verify(r, now), !slices.Contains(signs, name); got != want {
			t.Errorf("%s at another URL: %v, want %v", name, got, want)
		}
		r.URL, r.Method = signedURL, "PUT"
		if got, want := k.Verify(r, now), name != "hubspot"; got != want {
			t.Errorf("%s with another method: %v, want %v", name, got, want)
		}
	}
}
