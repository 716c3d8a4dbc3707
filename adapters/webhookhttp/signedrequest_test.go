package webhookhttp_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	hooks "github.com/octavo-books/octavo/adapters/webhookhttp"
	"github.com/octavo-books/octavo/domain/webhook"
)

// A request that the library signs as any sender reaches a handler of that sender.
func TestASignedRequestOfEverySenderReachesItsHandler(t *testing.T) {
	seed := []byte(strings.Repeat("k", 32))
	secrets := map[string]string{"discord": hex.EncodeToString(ed25519.NewKeyFromSeed(seed)), "sendgrid": base64.StdEncoding.EncodeToString(seed)}
	bodies := map[string]hooks.Event{
		"twilio":   {Payload: []byte("Body=a&MessageStatus=sent"), Header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}},
		"sendgrid": {Payload: []byte(`[{"sg_event_id":"7"}]`)}, "hubspot": {Payload: []byte(`[{}]`)},
	}
	for _, sender := range webhook.Senders() {
		if slices.Contains([]string{"mailgun", "paypal", "sns", "graph", "linear"}, sender.Name()) {
			continue // sign in the body, or with a certificate, or have the time in the body
		}
		secret, e := secrets[sender.Name()], bodies[sender.Name()]
		if secret == "" {
			secret = "hush"
		}
		if e.Name = "push"; e.Payload == nil {
			e.Payload = []byte(`{"type":"push","id":"7"}`)
		}
		r, ran := hooks.Must(secret, hooks.WithSender(sender)), 0
		r.HandleAny(func(context.Context, hooks.Event) error { ran++; return nil })
		req := hooks.SignedRequest(secret, "https://hooks.example/x", e, sender)
		answer := httptest.NewRecorder()
		hooks.Endpoint(r, hooks.Options{BaseURL: "https://hooks.example"}).ServeHTTP(answer, req)
		if answer.Code != http.StatusOK || ran != 1 {
			t.Errorf("%s: answered %d %s, ran %d times", sender.Name(), answer.Code, answer.Body, ran)
		}
	}
}

func TestAProgramBehindOctavoKnowsEventAndSource(t *testing.T) {
	r, got := hooks.Must("whsec_YSBzZWNyZXQ=", hooks.WithSender(hooks.Octavo)), []string{}
	hooks.HandleTyped(r, "issues.opened", func(_ context.Context, e hooks.TypedEvent[json.RawMessage]) error {
		got = append(got, e.ID, string(e.Raw), e.Header["X-Octavo-Source"])
		return nil
	})
	r.Handle("*", func(_ context.Context, e hooks.Event) error {
		if e.Source() != "ci" || e.Name != "issues" {
			t.Errorf("%s of %s", e.Name, e.Source())
		}
		return nil
	})
	e := hooks.Event{ID: "ci:7", Name: "issues", Payload: []byte(`{"action":"opened"}`), Header: map[string]string{"X-Octavo-Source": "ci"}}
	answer := httptest.NewRecorder()
	hooks.Endpoint(r, hooks.Options{}).ServeHTTP(answer, hooks.SignedRequest("whsec_YSBzZWNyZXQ=", "http://x/", e, hooks.Octavo))
	if answer.Code != http.StatusOK || !slices.Equal(got, []string{"ci:7", `{"action":"opened"}`, "ci"}) {
		t.Errorf("answered %d %s; got %v", answer.Code, answer.Body, got)
	}
	answer = httptest.NewRecorder()
	hooks.Endpoint(r, hooks.Options{}).ServeHTTP(answer, hooks.SignedRequest("whsec_YW5vdGhlcg==", "http://x/", e, hooks.Octavo))
	if answer.Code != http.StatusBadRequest || len(got) != 3 {
		t.Errorf("with another secret: answered %d; got %v", answer.Code, got)
	}
}

// What Octavo forwards may be the body of any sender: Twilio's forms, SendGrid's arrays, and the
// JSON that Amazon SNS calls text.
func TestAProgramBehindOctavoGetsBodiesOfEveryKind(t *testing.T) {
	for kind, body := range map[string]string{
		"application/x-www-form-urlencoded": "From=%2B1&Body=hi", "application/json": `[{"event":"bounce"}]`, "text/plain; charset=UTF-8": `{"Type":"Notification"}`,
		"application/xml": "<a/>",
	} {
		r, got := hooks.Must("whsec_YSBzZWNyZXQ=", hooks.WithSender(hooks.Octavo)), ""
		r.HandleAny(func(_ context.Context, e hooks.Event) error {
			got = string(e.Payload)
			return nil
		})
		e := hooks.Event{ID: "ci:7", Name: "sent", Payload: []byte(body), Header: map[string]string{"X-Octavo-Source": "ci", "Content-Type": kind}}
		answer := httptest.NewRecorder()
		hooks.Endpoint(r, hooks.Options{}).ServeHTTP(answer, hooks.SignedRequest("whsec_YSBzZWNyZXQ=", "http://x/", e, hooks.Octavo))
		if answer.Code != http.StatusOK || got != body {
			t.Errorf("%s is answered %d %s; the handler gets %s", kind, answer.Code, answer.Body, got)
		}
	}
}
