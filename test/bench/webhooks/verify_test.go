//go:build !windows

package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/domain/webhook/sample"
)

// BenchmarkVerify compares hashing a push alone with verifying it as a preset and as the same
// sender described in templates.
func BenchmarkVerify(b *testing.B) {
	now := time.Unix(1795357925, 0)
	body, _ := sample.Payload("push")
	described := map[string]webhook.CustomSender{
		"template of github": {Signature: webhook.SignaturePlace{Header: "X-Hub-Signature-256", Prefix: "sha256="}, Event: webhook.Place{Header: "X-GitHub-Event"}},
		"template of slack": {
			Signed: "v0:{header.X-Slack-Request-Timestamp}:{body}", Signature: webhook.SignaturePlace{Header: "X-Slack-Signature", Prefix: "v0="},
			Timestamp: webhook.TimestampPlace{Header: "X-Slack-Request-Timestamp"},
		},
		"regular expression": {Signature: webhook.SignaturePlace{Header: "X-Hub-Signature-256", Format: "regex", Pattern: "^sha256=([0-9a-f]+)$"}},
	}
	senders := map[string]*webhook.Sender{"github": webhook.GitHub, "slack": webhook.Slack, "stripe": webhook.Stripe, "standard": webhook.Standard}
	for name, c := range described {
		var err error
		if senders[name], err = c.NewSender(); err != nil {
			b.Fatal(err)
		}
	}
	signed := map[string]webhook.Request{"regular expression": sign(b, webhook.GitHub, body, now)}
	b.Run("floor", func(b *testing.B) { hash(b, sign(b, webhook.GitHub, body, now)) })
	for _, name := range []string{"github", "template of github", "regular expression", "slack", "template of slack", "stripe", "standard"} {
		r, ok := signed[name]
		if !ok {
			r = sign(b, senders[name], body, now)
		}
		k, err := senders[name].Key(secret)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := k.Check(r, now); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func sign(b *testing.B, s *webhook.Sender, body []byte, now time.Time) webhook.Request {
	b.Helper()
	k, err := s.Key(secret)
	if err != nil {
		b.Fatal(err)
	}
	r, err := k.SignRequest(webhook.Event{ID: "72d3162e", Name: "push", Payload: body}, now)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// hash is the least that a verification costs.
func hash(b *testing.B, r webhook.Request) {
	b.Helper()
	header := http.Header(r.Header)
	for b.Loop() {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(r.Body)
		given, _ := hex.DecodeString(header.Get("X-Hub-Signature-256")[len("sha256="):])
		if !hmac.Equal(given, mac.Sum(nil)) {
			b.Fatal("it does not match")
		}
	}
}
