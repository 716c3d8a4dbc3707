package webhook_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/webhook"
)

func TestEachSendersCheckOfTheURLIsAnswered(t *testing.T) {
	meta, err := webhook.Meta.WithOptions(webhook.Options{VerifyToken: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	crc, _ := custom(t, webhook.CustomSender{
		Signature: webhook.SignaturePlace{Header: "X-Twitter-Webhooks-Signature", Prefix: "sha256=", Encoding: "base64"},
		Challenges: []webhook.Challenge{{
			When: webhook.Condition{Method: "get", Query: "crc_token"}, Answer: webhook.Answer{Type: "application/json", Body: `{"response_token":"sha256={hmac_base64:query.crc_token}"}`},
		}},
	}, "hush")
	const json = "application/json"
	form := request("Content-Type: application/x-www-form-urlencoded", "webhook_id=7")
	for name, c := range map[string]struct {
		sender *webhook.Sender
		r      webhook.Request
		want   webhook.Reply
		signed bool
	}{
		"slack":     {webhook.Slack, request("", `{"type":"url_verification","challenge":"3eZ"}`), webhook.Reply{Status: 200, Type: "text/plain", Body: "3eZ"}, true},
		"zoom":      {webhook.Zoom, request("", `{"event":"endpoint.url_validation","payload":{"plainToken":"q\"7"}}`), webhook.Reply{Status: 200, Type: json, Body: `{"plainToken":"q\"7","encryptedToken":"` + hmacHex(`q"7`) + `"}`}, true},
		"graph":     {webhook.Graph, webhook.Request{URL: "https://h.example/x?validationToken=Validation%3a+Testing"}, webhook.Reply{Status: 200, Type: "text/plain", Body: "Validation: Testing"}, false},
		"meta":      {meta, webhook.Request{Method: "GET", URL: "/?hub.mode=subscribe&hub.verify_token=mine&hub.challenge=1158201444"}, webhook.Reply{Status: 200, Type: "text/plain", Body: "1158201444"}, false},
		"trello":    {webhook.Trello, webhook.Request{Method: "HEAD"}, webhook.Reply{Status: 200, Type: "text/plain"}, false},
		"discord":   {webhook.Discord, request("", `{"type":1}`), webhook.Reply{Status: 200, Type: json, Body: `{"type":1}`}, true},
		"its event": {webhook.Discord, request("", `{"type":0,"version":1}`), webhook.Reply{Status: 204, Type: "text/plain"}, true},
		"woo":       {webhook.WooCommerce, form, webhook.Reply{Status: 200, Type: "text/plain"}, false},
		"crc":       {crc, webhook.Request{Method: "GET", URL: "/?crc_token=9b4507b3-9040"}, webhook.Reply{Status: 200, Type: json, Body: `{"response_token":"sha256=` + base64HMAC("9b4507b3-9040") + `"}`}, false},
	} {
		secret := "hush"
		if c.sender == webhook.Discord {
			secret = strings.Repeat("00", 32)
		}
		found, signed := c.sender.IsChallenge(c.r)
		reply, err := senderKey(t, c.sender, secret).Reply(c.r)
		if !found || signed != c.signed || err != nil || reply != c.want {
			t.Errorf("%s: %v %v, %+v, %v; want %+v", name, found, signed, reply, err, c.want)
		}
	}
}

func base64HMAC(text string) string {
	return base64.StdEncoding.EncodeToString(hexBytes(hmacHex(text)))
}

func TestWhatIsNoCheckOfTheURLIsADelivery(t *testing.T) {
	meta, _ := webhook.Meta.WithOptions(webhook.Options{VerifyToken: "mine"})
	for name, c := range map[string]struct {
		sender *webhook.Sender
		r      webhook.Request
	}{
		"another type":           {webhook.Slack, request("", `{"type":"event_callback","challenge":"x"}`)},
		"another sender":         {webhook.Standard, request("", `{"type":"url_verification","challenge":"x"}`)},
		"no object":              {webhook.Slack, request("", `[]`)},
		"a wrong token":          {meta, webhook.Request{Method: "GET", URL: "/?hub.mode=subscribe&hub.verify_token=yours&hub.challenge=1"}},
		"no token of ours":       {webhook.Meta, webhook.Request{Method: "GET", URL: "/?hub.mode=subscribe&hub.verify_token=&hub.challenge=1"}},
		"another method":         {meta, webhook.Request{URL: "/?hub.mode=subscribe&hub.verify_token=mine&hub.challenge=1"}},
		"a parameter twice":      {webhook.Graph, webhook.Request{URL: "/?validationToken=a&validationToken=b"}},
		"a webhook event":        {webhook.Discord, request("", `{"type":1,"event":{"type":"ENTITLEMENT_CREATE"}}`)},
		"a form without its key": {webhook.WooCommerce, request("Content-Type: application/x-www-form-urlencoded", "x=7")},
	} {
		if found, _ := c.sender.IsChallenge(c.r); found {
			t.Errorf("%s is answered", name)
		}
	}
}

// Whoever may ask for the HMAC of a text must not get that of a body.
func TestNobodyGetsTheSignatureOfABodyFromACheck(t *testing.T) {
	s, k := custom(t, webhook.CustomSender{
		Signature:  webhook.SignaturePlace{Header: anHMAC},
		Challenges: []webhook.Challenge{{When: webhook.Condition{Query: "crc"}, Answer: webhook.Answer{Body: "{hmac_hex:query.crc}"}}},
	}, "hush")
	for _, token := range []string{"%7B%7D", "a%20b", "a.b", "", strings.Repeat("a", 257), "%22"} {
		if reply, err := k.Reply(webhook.Request{URL: "/?crc=" + token}); !errors.Is(err, webhook.ErrChallenge) {
			t.Errorf("%s gets %+v", token, reply)
		}
	}
	signed := request(anHMAC+": x", "{}")
	signed.URL = "/?crc=a"
	if _, must := s.IsChallenge(signed); !must {
		t.Error("a check with a signature is not verified")
	}
}
