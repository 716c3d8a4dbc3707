package webhookhttp_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	hooks "github.com/octavo-books/octavo/adapters/webhookhttp"
)

func mac(secret, text string) []byte {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(text))
	return h.Sum(nil)
}

func hexMAC(secret, text string) string { return hex.EncodeToString(mac(secret, text)) }
func base64MAC(text string) string      { return base64.StdEncoding.EncodeToString(mac("hush", text)) }

// post sends a body with headers given as name, value, name, value.
func post(h http.Handler, body string, headers ...string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	for pair := range slices.Chunk(headers, 2) {
		req.Header.Add(pair[0], pair[1])
	}
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, req)
	return answer
}

func TestEachSenderReachesItsHandlers(t *testing.T) {
	now := fmt.Sprint(time.Now().Unix())
	const secret, code = "hush", `{"action":"opened"}`
	for name, c := range map[string]struct {
		sender  *hooks.Sender
		on      hooks.EventName
		body    string
		headers []string
	}{
		"github":                {hooks.GitHub, "issues.opened", code, []string{"X-GitHub-Event", "issues", "X-GitHub-Delivery", "1", "X-Hub-Signature-256", "sha256=" + hexMAC(secret, code)}},
		"gitea":                 {hooks.Gitea, "issues.opened", code, []string{"X-Gitea-Event", "issues", "X-Gitea-Delivery", "1", "X-Gitea-Signature", hexMAC(secret, code)}},
		"gitlab":                {hooks.GitLab, "Issue Hook", code, []string{"X-Gitlab-Event", "Issue Hook", "X-Gitlab-Event-UUID", "1", "X-Gitlab-Token", secret}},
		"bitbucket":             {hooks.Bitbucket, "repo:push", code, []string{"X-Event-Key", "repo:push", "X-Request-UUID", "1", "X-Hub-Signature", "sha256=" + hexMAC(secret, code)}},
		"shopify":               {hooks.Shopify, "orders/create", code, []string{"X-Shopify-Topic", "orders/create", "X-Shopify-Webhook-Id", "1", "X-Shopify-Hmac-Sha256", base64MAC(code)}},
		"an event called error": {hooks.Shopify, "*", code, []string{"X-Shopify-Topic", "error", "X-Shopify-Webhook-Id", "1", "X-Shopify-Hmac-Sha256", base64MAC(code)}},
		"an event called *":     {hooks.Shopify, "*", code, []string{"X-Shopify-Topic", "*", "X-Shopify-Webhook-Id", "1", "X-Shopify-Hmac-Sha256", base64MAC(code)}},
		"stripe": {hooks.Stripe, "invoice.paid", `{"id":"evt_1","type":"invoice.paid"}`,
			[]string{"Stripe-Signature", "t=" + now + ",v1=" + hexMAC(secret, now+`.{"id":"evt_1","type":"invoice.paid"}`)}},
		"slack": {hooks.Slack, "app_mention", `{"event":{"type":"app_mention"}}`,
			[]string{"X-Slack-Request-Timestamp", now, "X-Slack-Signature", "v0=" + hexMAC(secret, "v0:"+now+`:{"event":{"type":"app_mention"}}`)}},
		"standard": {hooks.Standard, "user.created", `{"type":"user.created"}`,
			[]string{"Webhook-Id", "1", "Webhook-Timestamp", now, "Webhook-Signature", "v1," + base64MAC("1."+now+`.{"type":"user.created"}`)}},
	} {
		t.Run(name, func(t *testing.T) {
			r, ran := hooks.Must(secret, hooks.WithSender(c.sender)), 0
			count := func(context.Context, hooks.Event) error { ran++; return nil }
			if c.on == "*" {
				r.HandleAny(count)
			} else {
				r.Handle(c.on, count)
			}
			h := hooks.Endpoint(r, hooks.Options{})
			if answer := post(h, c.body, c.headers...); answer.Code != http.StatusOK || ran != 1 {
				t.Errorf("answered %d %s; its handler ran %d times", answer.Code, answer.Body, ran)
			}
			for i := 1; i < len(c.headers); i += 2 {
				if name := c.headers[i-1]; !strings.Contains(name, "Signature") && !strings.Contains(name, "Hmac") && !strings.Contains(name, "Token") {
					continue
				}
				tampered := slices.Clone(c.headers)
				tampered[i] = tampered[i][:len(tampered[i])-3] + "zzz"
				if answer := post(h, c.body, tampered...); answer.Code != http.StatusBadRequest || ran != 1 {
					t.Errorf("with another %s answered %d, its handler ran %d times", c.headers[i-1], answer.Code, ran)
				}
			}
		})
	}
}

func TestRefusalsNameTheHeadersOfTheSender(t *testing.T) {
	h := hooks.Endpoint(hooks.Must("hush"), hooks.Options{Sender: hooks.GitLab})
	for want, headers := range map[string][]string{
		"Required headers missing: x-gitlab-event, x-gitlab-token, idempotency-key": nil,
		"X-Gitlab-Event does not contain a valid event name":                        {"X-Gitlab-Event", "é", "X-Gitlab-Token", "x", "Idempotency-Key", "1"},
		"Signature does not match payload and secret":                               {"X-Gitlab-Event", "Push Hook", "X-Gitlab-Token", "x", "Idempotency-Key", "1"},
	} {
		if answer := post(h, "{}", headers...); answer.Code != http.StatusBadRequest || !strings.Contains(answer.Body.String(), want) {
			t.Errorf("answered %d %s, want %s", answer.Code, answer.Body, want)
		}
	}
}

func TestSlacksCheckOfTheURLIsAnswered(t *testing.T) {
	r := hooks.Must("hush", hooks.WithSender(hooks.Slack))
	r.HandleAny(func(context.Context, hooks.Event) error {
		t.Error("a handler runs")
		return nil
	})
	h := hooks.Endpoint(r, hooks.Options{})
	now, body := fmt.Sprint(time.Now().Unix()), `{"type":"url_verification","challenge":"3eZbrw1a"}`
	answer := post(h, body, "X-Slack-Request-Timestamp", now, "X-Slack-Signature", "v0="+hexMAC("hush", "v0:"+now+":"+body))
	if answer.Code != http.StatusOK || answer.Body.String() != "3eZbrw1a" {
		t.Errorf("answered %d %s", answer.Code, answer.Body)
	}
	answer = post(h, body, "X-Slack-Request-Timestamp", now, "X-Slack-Signature", "v0="+hexMAC("guess", "v0:"+now+":"+body))
	if answer.Code != http.StatusBadRequest || strings.Contains(answer.Body.String(), "3eZbrw1a") {
		t.Errorf("an unsigned check is answered %d %s", answer.Code, answer.Body)
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
