package webhookhttp_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	hooks "github.com/octavo-books/octavo/adapters/webhookhttp"
)

func mac(secret, text string) []byte {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(text))
	return h.Sum(nil)
}

func hexMAC(secret, text string) string { return hex.EncodeToString(mac(secret, text)) }
func base64MAC(text string) string      { return base64.StdEncoding.EncodeToString(mac("hush", text)) }

// post sends {} with headers given as name, value, name, value.
func post(h http.Handler, headers ...string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("{}"))
	req.Header.Set("Content-Type", "application/json")
	for pair := range slices.Chunk(headers, 2) {
		req.Header.Add(pair[0], pair[1])
	}
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, req)
	return answer
}

func TestAnEventMayHaveANameThatMeansSomethingElsewhere(t *testing.T) {
	for _, name := range []string{"error", "*"} {
		r, got := hooks.Must("hush", hooks.WithSender(hooks.Shopify)), []hooks.EventName{}
		r.HandleAny(func(_ context.Context, e hooks.Event) error { got = append(got, e.Name); return nil })
		answer := post(hooks.Endpoint(r, hooks.Options{}), "X-Shopify-Topic", name, "X-Shopify-Webhook-Id", "1", "X-Shopify-Hmac-Sha256", base64MAC("{}"))
		if answer.Code != http.StatusOK || !slices.Equal(got, []hooks.EventName{hooks.EventName(name)}) {
			t.Errorf("%s: answered %d %s; got %v", name, answer.Code, answer.Body, got)
		}
	}
}

func TestRefusalsNameTheHeadersOfTheSender(t *testing.T) {
	h := hooks.Endpoint(hooks.Must("hush"), hooks.Options{Sender: hooks.GitLab})
	for want, headers := range map[string][]string{
		"Required headers missing: x-gitlab-event, x-gitlab-token, idempotency-key": nil,
		"X-Gitlab-Event does not contain a valid event name":                        {"X-Gitlab-Event", "é", "X-Gitlab-Token", "x", "Idempotency-Key", "1"},
		"Signature does not match payload and secret":                               {"X-Gitlab-Event", "Push Hook", "X-Gitlab-Token", "x", "Idempotency-Key", "1"},
	} {
		if answer := post(h, headers...); answer.Code != http.StatusBadRequest || !strings.Contains(answer.Body.String(), want) {
			t.Errorf("answered %d %s, want %s", answer.Code, answer.Body, want)
		}
	}
}

func TestAnInvalidSenderPanics(t *testing.T) {
	for name, mistake := range map[string]func(){
		"two senders": func() {
			hooks.Endpoint(hooks.Must("s", hooks.WithSender(hooks.GitHub)), hooks.Options{Sender: hooks.Slack})
		},
		"a secret that is no key": func() { hooks.Endpoint(hooks.Must("whsec_%"), hooks.Options{Sender: hooks.Standard}) },
		"the same, with New":      func() { hooks.Must("whsec_%", hooks.WithSender(hooks.Standard)) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("an invalid sender did not panic")
				}
			}()
			mistake()
		})
	}
}
