package webhook_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

// Whatever the headers and the body, what a sender reads is valid, and what it signs it
// verifies.
func FuzzSenders(f *testing.F) {
	for _, d := range published(f) {
		f.Add(d.headers(), d.Body, d.Secret)
		f.Add(d.headers(), d.Body, " "+d.Secret+"\t")
	}
	now := time.Unix(1614265330, 0)
	f.Fuzz(func(t *testing.T, headers, body, secret string) {
		r := request(headers, body)
		for _, s := range webhook.Senders() {
			checked := s.Check(r)
			e, err := s.Event(r)
			if err == nil && (!s.IsEvent(e.Name) || e.ID == "") {
				t.Errorf("%s: read as %q %q", s.Name(), e.Name, e.ID)
			}
			s.IsChallenge(r)
			_, _ = s.CertificateURL(r)
			k, invalid := s.Key(secret)
			if invalid != nil || s == webhook.GitLab && strings.TrimSpace(secret) == "" { // no header can have such a token
				continue
			}
			k.Verify(r, now)
			if checked == nil && err == nil {
				signAgain(t, s, k, e, now)
			}
			if reply, err := k.Reply(r); err == nil && len(reply.Body) > 10_000 {
				t.Errorf("%s: the answer has %d bytes", s.Name(), len(reply.Body))
			}
		}
	})
}

// signAgain signs an event that the sender has delivered.
func signAgain(t *testing.T, s *webhook.Sender, k *webhook.SenderKey, e webhook.Event, now time.Time) {
	t.Helper()
	signed, err := k.SignRequestTo("https://hooks.example/", e, now)
	if err != nil {
		return // a public key
	}
	if got, err := s.Event(signed); s.Check(signed) != nil || err != nil || got.ID != e.ID || got.Name != e.Name {
		t.Errorf("%s: %+v is delivered as %+v: %v", s.Name(), e, got, err)
	}
	if !k.Verify(signed, now) && s != webhook.Linear && s != webhook.Twilio { // they need the time, or a hash, elsewhere
		t.Errorf("%s: what it signs does not match: %v", s.Name(), signed.Header)
	}
	signed.Body = append(slices.Clone(signed.Body), ' ')
	if len(s.SecretHeaders()) == 0 && k.Verify(signed, now) {
		t.Errorf("%s: another body matches: %v", s.Name(), signed.Header)
	}
}

// A list of signatures matches if and only if one of at most eight, separated by spaces, is
// the right one. MAC stands for it in the fuzzed text.
func FuzzStandardSignatures(f *testing.F) {
	const mine = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	for _, list := range []string{"MAC", "MAC MAC", "v1,x MAC", "v1a,x v2,y MAC", "MACx", "MAC,MAC", "v1,MAC", "\tMAC\n", "", " ", strings.Repeat("v1, ", 8) + "MAC"} {
		f.Add(list)
	}
	d := published(f)["standard"]
	k := must.Get(d.sender(f).Key(d.Secret))(f)
	f.Fuzz(func(t *testing.T, list string) {
		list = strings.ReplaceAll(list, "MAC", mine)
		r := request(d.headers(), d.Body)
		r.Header["Webhook-Signature"] = []string{list}
		given := strings.Fields(list)
		want := len(given) <= 8 && slices.Contains(given, mine)
		if got := k.Verify(r, time.Unix(d.At, 0)); got != want {
			t.Errorf("%q: %v, want %v", list, got, want)
		}
	})
}

// The header matches if and only if it has one timestamp, the right one, and among its at
// most nine parts a v1 that is the right signature. MAC and NOW stand for them.
func FuzzStripeHeader(f *testing.F) {
	const mine, at = "f7a632a9ffdbb1ced2fc48e44c374ec2cb4292469db292862c06ae703e2befbd", "1492774577"
	for _, header := range []string{
		"t=NOW,v1=MAC", "v1=MAC,t=NOW", "t=NOW, v1=MAC", "t=NOW,v0=MAC,v1=x,v1=MAC", "t=NOW,t=NOW,v1=MAC", "t,t=NOW,v1=MAC", "t=,t=NOW,v1=MAC", "t=0,v1=MAC", "v1=MAC", "t=NOW", "t,v1", "=,=", "T=NOW,V1=MAC",
		"t=NOW,v1=MAC=", "t=NOW,v1= MAC", "t =NOW,v1=MAC", strings.Repeat("v1=,", 8) + "v1=MAC,t=NOW",
	} {
		f.Add(header)
	}
	d := published(f)["stripe"]
	k := must.Get(d.sender(f).Key(d.Secret))(f)
	f.Fuzz(func(t *testing.T, header string) {
		header = strings.NewReplacer("MAC", mine, "NOW", at).Replace(header)
		r := request("", d.Body)
		r.Header["Stripe-Signature"] = []string{header}
		var times []string
		signed := false
		parts := strings.Split(header, ",")
		for _, part := range parts {
			part = strings.TrimSpace(part)
			signed = signed || part == "v1="+mine
			if name, value, _ := strings.Cut(part, "="); name == "t" {
				times = append(times, value)
			}
		}
		want := signed && len(parts) <= 9 && slices.Equal(times, []string{at})
		if got := k.Verify(r, time.Unix(d.At, 0)); got != want {
			t.Errorf("%q: %v, want %v", header, got, want)
		}
	})
}

// A custom sender reads event and id as encoding/json does, and verifies what it signs.
func FuzzCustomSender(f *testing.F) {
	f.Add("X-Event", "", "", "id", "X-Sig", "hmac-sha256-hex", "sha256=", `{"id":"7"}`)
	f.Add("", "kind", "X-Id", "", "x-sig", "hmac-sha256-base64", "", `{"kind":"a","kind":"\u0062"}`)
	f.Add("", "", "", "", "Authorization", "token", "Bearer ", `{}`)
	f.Add("", "k\u00e9y", "", "\n", "S", "token", "", `{"k\u00e9y":"v","\n":"x"}`)
	f.Add("", "", "", "", "S", "hmac-sha256-hex", " v1:", "{}")
	f.Add("X-Sig", "", "X-Sig", "", "X-Sig", "token", "", "[]")
	f.Fuzz(func(t *testing.T, eventHeader, eventField, idHeader, idField, signature, scheme, prefix, body string) {
		c := webhook.CustomSender{
			EventHeader: eventHeader, EventField: eventField, IDHeader: idHeader, IDField: idField, SignatureHeader: signature, Scheme: scheme, Prefix: prefix,
		}
		s, err := c.NewSender()
		if err != nil {
			return
		}
		k := must.Get(s.Key("hush"))(t)
		now := time.Unix(1614265330, 0)
		signed := must.Get(k.SignRequest(webhook.Event{ID: "7", Name: "push", Payload: []byte(body)}, now))(t)
		if clash := strings.EqualFold(eventHeader, signature) || strings.EqualFold(idHeader, signature); !clash && !k.Verify(signed, now) {
			t.Errorf("%+v: what it signs does not match: %v", c, signed.Header)
		}
		e, err := s.Event(signed)
		if err == nil && eventField != "" {
			if want := memberOf(body, eventField); string(e.Name) != want && want != "" {
				t.Errorf("the event in %q of %q is %q, encoding/json says %q", eventField, body, e.Name, want)
			}
		}
		if err == nil && idField != "" {
			if want := memberOf(body, idField); e.ID != want && want != "" {
				t.Errorf("the id in %q of %q is %q, encoding/json says %q", idField, body, e.ID, want)
			}
		}
		stray := request("", body)
		http.Header(stray.Header).Set(signature, prefix+"hush2")
		if k.Verify(stray, now) {
			t.Errorf("%+v: another token or signature matches", c)
		}
	})
}

// memberOf reads a member that is a string with encoding/json.
func memberOf(body, key string) (text string) {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(body), &members) == nil && len(members[key]) > 0 && members[key][0] == '"' {
		_ = json.Unmarshal(members[key], &text)
	}
	return text
}
