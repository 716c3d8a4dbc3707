package inbox_test

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/webhook"
)

func TestARuleThatCanNeverMatchIsNamedAtTheStart(t *testing.T) {
	sources := map[string]inbox.Source{
		"default": {Sender: webhook.GitHub}, "shop": {Sender: webhook.Stripe}, "lab": {Sender: webhook.GitLab}, "octavo": {Sender: webhook.Standard},
	}
	for _, c := range []struct{ source, match, want string }{
		{"default", "issues.opend", `match=issues.opend source=default nearest=issues.opened`},
		{"lab", "push", `match=push source=lab nearest=""`},
		{"shop", "push\ninvoice.paid", "match=push source=shop"},
		{"", "something\norder.placed", "match=something"},
		{"", "Push Hook\nissues.*\ninvoice.paid\nbook.*", ""},
		{"default", "repository_dispatch.deploy-prod\n*", ""},
		{"octavo", "book.posted", ""},
	} {
		run(t, setup{rules: []inbox.Rule{{Source: c.source, Match: c.match, URL: shop, AnyName: true}}}, func(h *harness) {
			h.svc.SetSources(sources)
			h.svc.WarnOfRules()
			warned := h.log.warnings("none of its sources is known to send")
			if c.want == "" && len(warned) > 0 || c.want != "" && (len(warned) != 1 || !strings.Contains(warned[0], c.want)) {
				t.Errorf("%s %q: %v, want %s", c.source, c.match, warned, c.want)
			}
		})
	}
}

func TestARuleThatCannotSignAsASenderIsNamedAtTheStart(t *testing.T) {
	run(t, setup{rules: []inbox.Rule{{Name: "anew", Match: "*", URL: shop, Sign: inbox.SignSender}}}, func(h *harness) {
		h.svc.SetSources(map[string]inbox.Source{"default": {Sender: webhook.Host}, "ci": {Sender: webhook.GitHub}, "chat": {Sender: webhook.Discord}})
		h.svc.WarnOfRules()
		if warned := h.log.warnings("cannot sign as the sender"); len(warned) != 1 || !strings.Contains(warned[0], "rule=anew source=chat") {
			t.Errorf("warned %v", warned)
		}
	})
}
