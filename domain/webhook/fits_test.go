package webhook_test

import (
	"path"
	"testing"

	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

func TestAPatternThatNoEventOfTheSenderMatchesIsRecognised(t *testing.T) {
	custom := must.Get(webhook.CustomSender{SignatureHeader: "X-Sig", Scheme: "token"}.NewSender())(t)
	matches := func(pattern, name string) bool { ok, err := path.Match(pattern, name); return ok && err == nil }
	for sender, patterns := range map[*webhook.Sender]map[string]bool{
		webhook.GitHub:  {"push": true, "issues.opened": true, "repository_dispatch.deploy-prod": true, "*": true, "issues.*": true, "issue.*": false, "issues.opend": false, "invoice.paid": false},
		webhook.GitLab:  {"Push Hook": true, "*": true, "push": false},
		webhook.Stripe:  {"invoice.paid": true, "invoice.*": true, "push": false},
		webhook.Shopify: {"orders/create": true, "orders.create": false},
		webhook.Slack:   {"message": true, "anything at all": true},
		webhook.Host:    {"push": true, "anything": true, "Push Hook": false},
		custom:          {"webhook": true, "*": true, "push": false},
	} {
		for pattern, want := range patterns {
			if got := sender.MaySend(pattern, matches); got != want {
				t.Errorf("%s %s: %t, want %t", sender.Name(), pattern, got, want)
			}
		}
	}
	if !custom.HashesBody() || webhook.GitHub.HashesBody() {
		t.Error("only a custom sender without an id makes ids of bodies")
	}
}
