package webhook_test

import (
	"errors"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

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
