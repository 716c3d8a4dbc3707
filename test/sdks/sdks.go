//go:build ignore

// Sdks signs and verifies deliveries with the libraries that senders publish for Go. Each
// line of standard input is a task in JSON; its result is a line of standard output. The
// test of the senders builds it with test/tools/sdks.mod.
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/google/go-github/v88/github"
	"github.com/octavo-books/octavo/test/must"
	"github.com/slack-go/slack"
	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"
	stripe "github.com/stripe/stripe-go/v85/webhook"
)

// task asks a library to sign, or to verify the headers.
type task struct {
	Library, Do      string
	Secret, ID, Body string
	Headers          map[string]string
}

type result struct {
	Headers map[string]string `json:"headers,omitempty"`
	Valid   bool              `json:"valid"`
}

func main() {
	tasks, results := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var t task
		if tasks.Decode(&t) != nil {
			return
		}
		var r result
		if t.Do == "sign" {
			r.Headers = t.sign()
		} else {
			r.Valid = t.verify() == nil
		}
		_ = results.Encode(r)
	}
}

func (t task) sign() map[string]string {
	now := time.Now()
	switch t.Library {
	case "stripe-go":
		signed := stripe.GenerateTestSignedPayload(&stripe.UnsignedPayload{Payload: []byte(t.Body), Secret: t.Secret, Timestamp: now})
		return map[string]string{"Stripe-Signature": signed.Header}
	case "standard-webhooks":
		hook, err := standard.NewWebhook(t.Secret)
		if err != nil {
			panic(err)
		}
		signature, err := hook.Sign(t.ID, now, []byte(t.Body))
		if err != nil {
			panic(err)
		}
		return map[string]string{"webhook-id": t.ID, "webhook-timestamp": fmt.Sprint(now.Unix()), "webhook-signature": signature}
	}
	panic(t.Library + " cannot sign")
}

func (t task) verify() error {
	header := http.Header{}
	for name, value := range t.Headers {
		header.Set(name, value)
	}
	switch t.Library {
	case "stripe-go":
		return stripe.ValidatePayload([]byte(t.Body), header.Get("Stripe-Signature"), t.Secret)
	case "standard-webhooks":
		hook, err := standard.NewWebhook(t.Secret)
		if err != nil {
			return err
		}
		return hook.Verify([]byte(t.Body), header)
	case "slack-go":
		verifier, err := slack.NewSecretsVerifier(header, t.Secret)
		if err != nil {
			return err
		}
		_, _ = verifier.Write([]byte(t.Body))
		return verifier.Ensure()
	case "go-github":
		req, err := http.NewRequest(http.MethodPost, "/", strings.NewReader(t.Body))
		if err != nil {
			return err
		}
		req.Header = header
		req.Header.Set("Content-Type", "application/json")
		return must.Err(github.ValidatePayload(req, []byte(t.Secret)))
	}
	panic("there is no library " + t.Library)
}
