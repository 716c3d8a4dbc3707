package webhook_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

// Each is one mistake in a request that is right without it.
func TestTheWrongPartOfARequestIsNamed(t *testing.T) {
	now := time.Unix(1795357925, 0)
	drop := func(s signable, r webhook.Request) webhook.Request {
		r = with(r, "X", "")
		http.Header(r.Header).Del(signatureOf(s, r))
		return r
	}
	body := func(text string) func(signable, webhook.Request) webhook.Request {
		return func(_ signable, r webhook.Request) webhook.Request {
			r.Body = []byte(fmt.Sprintf(text, r.Body))
			return r
		}
	}
	for want, change := range map[string]func(signable, webhook.Request) webhook.Request{
		webhook.PartHeader: drop,
		webhook.PartBody:   body("%s\n"),
		webhook.PartUnknown: func(_ signable, r webhook.Request) webhook.Request {
			r.Body = bytes.Replace(r.Body, []byte(":"), []byte(": 1,"), 1)
			return r
		},
	} {
		for name, s := range signables(t) {
			if s.isToken() || (name == "twilio" || name == "linear") && want != webhook.PartHeader {
				continue // these do not sign the body, or not as it is written, or have the time in it
			}
			k, r := s.signed(t, now)
			if d := k.Diagnose(r, now); d.Part != "" {
				t.Errorf("%s: a good one: %+v", name, d)
			}
			if d := k.Diagnose(change(s, r), now); d.Part != want || d.Text == "" {
				t.Errorf("%s: %+v, want %s", name, d, want)
			}
			if d := k.Diagnose(r, now.Add(time.Hour)); s.UsesTimestamp() && (d.Part != webhook.PartTime || !strings.Contains(d.Text, "1h0m0s ago")) {
				t.Errorf("%s: an old one: %+v", name, d)
			}
		}
	}
}

func TestWhatWasDoneToABodyIsNamed(t *testing.T) {
	now := time.Unix(0, 0)
	k := senderKey(t, webhook.GitHub, "hush")
	for sent, arrived := range map[string]string{
		`{"a":1,"b":"x"}`:            "{\n  \"a\": 1,\n  \"b\": \"x\"\n}",
		`{"a": 1, "b": "x:,\""}`:     `{"a":1,"b":"x:,\""}`,
		`{"a":"<&>"}`:                `{"a":"\u003c\u0026\u003e"}`,
		`{"a":"\u00e9\ud83d\ude00"}`: `{"a":"é😀"}`,
		`{"a":"x\/y"}`:               `{"a":"x/y"}`,
		"{}\r\n":                     "{}\n",
		"{\r\n}":                     "{\n}",
		"{}":                         "\ufeff{}",
	} {
		r := request("X-GitHub-Event: push\nX-GitHub-Delivery: 7\nX-Hub-Signature-256: sha256="+hmacHex(sent), arrived)
		if d := k.Diagnose(r, now); d.Part != webhook.PartBody || !strings.Contains(d.Text, "changed") {
			t.Errorf("%q, arrived as %q: %+v", sent, arrived, d)
		}
	}
	cut := request("Content-Length: 9\nX-GitHub-Event: push\nX-GitHub-Delivery: 7\nX-Hub-Signature-256: sha256="+hmacHex(`{"a":123}`), `{"a":12`)
	if d := k.Diagnose(cut, now); d.Part != webhook.PartBody || !strings.Contains(d.Text, "Content-Length was 9") {
		t.Errorf("a body that was cut: %+v", d)
	}
}

func TestAnotherSpellingOfTheSecretAndAnotherURLAreNamed(t *testing.T) {
	now := time.Unix(1614265330, 0)
	d := published(t)["standard"]
	for secret, want := range map[string]string{
		"MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw": "with whsec_", `"` + d.Secret + `"`: "without the quotes", " " + d.Secret: "without the space",
	} {
		if got := senderKey(t, webhook.Standard, secret).Diagnose(request(d.headers(), d.Body), now); got.Part != webhook.PartSecret || !strings.Contains(got.Text, want) {
			t.Errorf("%s: %+v, want %s", secret, got, want)
		}
	}
	if got := senderKey(t, webhook.Standard, "another").Diagnose(request(d.headers(), d.Body), now); got.Part != webhook.PartUnknown {
		t.Errorf("another secret: %+v", got)
	}
	k, r := signables(t)["square"].signed(t, now)
	r.URL = strings.Replace(r.URL, "https", "http", 1)
	if got := k.Diagnose(r, now); got.Part != webhook.PartURL || !strings.Contains(got.Text, signedURL) {
		t.Errorf("another URL: %+v", got)
	}
	hexed := request("X-GitHub-Event: push\nX-GitHub-Delivery: 7\nX-Hub-Signature-256: sha256="+strings.ToUpper(hmacHex("{}")), "{}")
	if got := senderKey(t, webhook.GitHub, "hush").Diagnose(hexed, now); got.Part != webhook.PartHeader {
		t.Errorf("a signature in capitals: %+v", got)
	}
}

// A URL that nobody can guess is at least named as what may be wrong.
func TestAnotherURLIsNamedAmongWhatMayBeWrong(t *testing.T) {
	now := time.Unix(0, 0)
	k := senderKey(t, webhook.Square, "hush")
	signed := must.Get(k.SignRequestTo("https://public.example/hooks", webhook.Event{Name: "a", Payload: []byte(`{"type":"a"}`)}, now))(t)
	signed.URL = "http://127.0.0.1:3000/hooks"
	if d := k.DiagnoseSignature(signed, now); d.Part != webhook.PartUnknown || !strings.Contains(d.Text, "another URL than http://127.0.0.1:3000/hooks") {
		t.Errorf("the diagnosis is %+v", d)
	}
}

func TestEveryHeaderButSecretsAndThoseOfTheConnectionIsPassedOn(t *testing.T) {
	const more = "Content-Type: application/json\nUser-Agent: x/1\nX-Other: ü" +
		"\nAuthorization: s\nCookie: s\nX-Gitlab-Token: s\nConnection: close, x-mine\nX-Mine: s\nTe: s\nHost: s\nContent-Length: 2\nX-Host-Redelivery: 1\nX-Bad: a\x01"
	for name, d := range published(t) {
		if d.Sender == "gitlab" {
			continue // has the token itself
		}
		r := request(d.headers()+more, d.Body)
		e, err := d.sender(t).Event(r)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d.Sender == "host" {
			if e.Header != nil {
				t.Errorf("%s: %v, want none", name, e.Header)
			}
			continue
		}
		for _, line := range strings.Split(d.headers()+"Content-Type: application/json\nUser-Agent: x/1\nX-Other: ü", "\n") {
			header, value, _ := strings.Cut(line, ": ")
			if got := e.Header[http.CanonicalHeaderKey(header)]; header != "" && got != value {
				t.Errorf("%s: %s is %q, want %q", name, header, got, value)
			}
		}
		for header, value := range e.Header {
			if value == "s" || header == "Connection" || header == "X-Host-Redelivery" || header == "X-Bad" {
				t.Errorf("%s: %s is passed on", name, header)
			}
		}
	}
}

func TestARepeatedHeaderIsPassedOnAsOne(t *testing.T) {
	r := webhook.Request{Header: http.Header{"X-Github-Event": {"push"}, "X-Github-Delivery": {"1"}, "Via": {"a", "b"}, "X-Long": {strings.Repeat("x", 17<<10)}}, Body: []byte("{}")}
	if e, err := webhook.GitHub.Event(r); err != nil || e.Header["Via"] != "a, b" || e.Header["X-Long"] != "" {
		t.Errorf("%v, %v", e.Header["Via"], err)
	}
}

func TestAHeaderThatIsTheSecretIsNotPassedOn(t *testing.T) {
	for _, header := range []string{"Authorization", "X-Token"} {
		sender := must.Get(webhook.CustomSender{EventHeader: header, IDHeader: header, SignatureHeader: "X-Token", Scheme: "token"}.NewSender())(t)
		e, err := sender.Event(request("X-Token: secret\nAuthorization: secret", "{}"))
		if err != nil || len(e.Header) != 0 {
			t.Errorf("%s: %v, %v", header, e.Header, err)
		}
	}
}

func TestWhatTheStandardSignerSignsTheStandardSenderVerifies(t *testing.T) {
	at := time.Unix(1614265330, 0)
	for _, secret := range []string{"whsec_" + base64.StdEncoding.EncodeToString([]byte("a key")), "any text"} {
		signer := must.Get(webhook.NewStandardSigner(secret))(t)
		timestamp, signature := signer.Sign("msg_1", at, []byte("{}"))
		r := request("Webhook-Id: msg_1\nWebhook-Timestamp: "+timestamp+"\nWebhook-Signature: "+signature, "{}")
		if !senderKey(t, webhook.Standard, secret).Verify(r, at) {
			t.Errorf("with %s: %s is not verified", secret, signature)
		}
	}
	d := published(t)["standard"]
	signer, _ := webhook.NewStandardSigner(d.Secret)
	if _, got := signer.Sign(d.ID, at, []byte(d.Body)); got != "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" {
		t.Errorf("the published delivery is signed %s", got)
	}
	for _, bad := range []string{"", "whsec_%", "whpk_" + base64.StdEncoding.EncodeToString(make([]byte, 32))} {
		if _, err := webhook.NewStandardSigner(bad); !errors.Is(err, webhook.ErrNoSecret) && !errors.Is(err, webhook.ErrSecretForm) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
