package webhook_test

import (
	"encoding/base64"
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
)

func TestOnlyContentTypeEventAndIDArePassedOn(t *testing.T) {
	const more = "\nContent-Type: application/json\nAuthorization: x\nCookie: x\nX-Other: x"
	for name, want := range map[string]map[string]string{
		"host":                        nil,
		"github":                      {"X-Github-Event": "push", "X-Github-Delivery": "72d3162e-cc78"},
		"gitlab with a token":         {"X-Gitlab-Event": "Push Hook", "Idempotency-Key": "f5e5f430", "X-Gitlab-Event-Uuid": "13792a34"},
		"gitlab with a signing token": {"X-Gitlab-Event": "Push Hook"},
		"stripe":                      {},
		"standard":                    {},
	} {
		d := deliveries[name]
		e, err := d.sender.Event(request(d.headers+more, d.body))
		if want != nil {
			want["Content-Type"] = "application/json"
		}
		if err != nil || !maps.Equal(e.Header, want) || (e.Header == nil) != (want == nil) {
			t.Errorf("%s: %v, %v; want %v", name, e.Header, err, want)
		}
	}
}

func TestAHeaderThatIsTheSecretIsNotPassedOn(t *testing.T) {
	for _, header := range []string{"Authorization", "X-Token"} {
		sender, err := webhook.CustomSender{EventHeader: header, IDHeader: header, SignatureHeader: "X-Token", Scheme: "token"}.NewSender()
		if err != nil {
			t.Fatal(err)
		}
		e, err := sender.Event(request("X-Token: secret\nAuthorization: secret", "{}"))
		if err != nil || len(e.Header) != 0 {
			t.Errorf("%s: %v, %v", header, e.Header, err)
		}
	}
}

func TestWhatTheStandardSignerSignsTheStandardSenderVerifies(t *testing.T) {
	at := time.Unix(1614265330, 0)
	for _, secret := range []string{"whsec_" + base64.StdEncoding.EncodeToString([]byte("a key")), "any text"} {
		signer, err := webhook.NewStandardSigner(secret)
		if err != nil {
			t.Fatal(err)
		}
		timestamp, signature := signer.Sign("msg_1", at, []byte("{}"))
		r := request("Webhook-Id: msg_1\nWebhook-Timestamp: "+timestamp+"\nWebhook-Signature: "+signature, "{}")
		if !senderKey(t, webhook.Standard, secret).Verify(r, at) {
			t.Errorf("with %s: %s is not verified", secret, signature)
		}
	}
	published := deliveries["standard"]
	signer, _ := webhook.NewStandardSigner(published.secret)
	if _, got := signer.Sign(published.id, at, []byte(published.body)); got != "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" {
		t.Errorf("the published delivery is signed %s", got)
	}
	for _, bad := range []string{"", "whsec_%", "whpk_" + base64.StdEncoding.EncodeToString(make([]byte, 32))} {
		if _, err := webhook.NewStandardSigner(bad); !errors.Is(err, webhook.ErrNoSecret) && !errors.Is(err, webhook.ErrSecretForm) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
