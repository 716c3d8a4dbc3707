package webhook_test

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

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
