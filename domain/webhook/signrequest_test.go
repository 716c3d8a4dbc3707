package webhook_test

import (
	"errors"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

func TestASenderVerifiesItsOwnSignatures(t *testing.T) {
	now := time.Unix(1795357925, 0)
	senders := []*webhook.Sender{webhook.Host, webhook.GitHub, webhook.GitLab, webhook.Stripe, webhook.Slack, webhook.Standard, webhook.Vercel}
	for _, scheme := range []string{"hmac-sha256-hex", "hmac-sha256-base64", "token"} {
		custom := must.Get(webhook.CustomSender{EventHeader: "X-Event", IDField: "id", SignatureHeader: "X-Sig", Scheme: scheme, Prefix: "p="}.NewSender())(t)
		senders = append(senders, custom)
	}
	for _, s := range senders {
		e := webhook.Event{ID: "7", Name: "push", Payload: []byte(`{"id":"7","event_id":"7","type":"push"}`)}
		r, err := senderKey(t, s, "a secret").SignRequest(e, now)
		if err != nil || s.Check(r) != nil || !senderKey(t, s, "a secret").Verify(r, now) || senderKey(t, s, "another").Verify(r, now) {
			t.Errorf("%s signs %v, %v", s.Name(), r.Header, err)
		}
		if got, err := s.Event(r); err != nil || got.ID != "7" || got.Name != "push" {
			t.Errorf("%s delivers %+v, %v", s.Name(), got, err)
		}
	}
	public := senderKey(t, webhook.Standard, "whpk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
	if _, err := public.SignRequest(webhook.Event{}, now); !errors.Is(err, webhook.ErrCannotSign) {
		t.Errorf("a public key: %v, want %v", err, webhook.ErrCannotSign)
	}
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
