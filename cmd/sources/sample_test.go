package sources

import (
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

func TestASampleIsSignedAsItsSenderSigns(t *testing.T) {
	const secret = "whsec_YSBzZWNyZXQgb2Ygc2l4dGVlbiBvciBtb3Jl"
	for sender, event := range map[*webhook.Sender]string{
		webhook.Host: "issues.opened", webhook.GitHub: "issues.opened", webhook.GitLab: "Push Hook", webhook.Stripe: "invoice.paid", webhook.Slack: "message", webhook.Standard: "user.created",
		webhook.Mailgun: "delivered", webhook.Graph: "created",
	} {
		key := must.Get(sender.Key(secret))(t)
		signed, id, err := signSample(sender, secret, "http://127.0.0.1/hook", event)
		if err != nil || id == "" || !key.Verify(signed, time.Now()) {
			t.Errorf("%s %s: %q %s, %v", sender.Name(), event, id, signed.Body, err)
		}
		if strings.HasSuffix(event, ".opened") && !strings.Contains(string(signed.Body), `"action":"opened"`) {
			t.Errorf("%s: the body has no action: %s", sender.Name(), signed.Body)
		}
	}
	must.Refuse(t, must.Err(signSample(webhook.Host, secret, "http://127.0.0.1/hook", "no event")), errSample, "a name that no event has")
}
