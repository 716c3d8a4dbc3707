package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/webhook"
)

// checkSources reads the file of sources, and compares the rules with the events that their
// senders are known to have.
func checkSources(_ context.Context, s *config.Settings, parts config.Components) []finding {
	if !parts.Webhooks || s.Webhooks.Sources == "" {
		return nil
	}
	sources, err := s.WebhookSources()
	if err != nil {
		return []finding{failed("sources", err, "check WEBHOOK_SOURCES and its file")}
	}
	var all []finding
	names, senders := []string{}, map[string]*webhook.Sender{}
	for _, source := range sources {
		names = append(names, source.Name)
		senders[source.Name] = source.Sender
		for _, secret := range source.Secrets {
			if source.Sender.NeedsSecret() && config.IsShortSecret(secret.Value) {
				all = append(all, warn(
					"source "+source.Name, secret.Name+" is shorter than production accepts", "make one with: openssl rand -hex 32",
				))
			}
		}
	}
	rules, _ := s.ForwardingRules() // checkRules reports the error
	for i, rule := range rules {
		all = append(all, unknownEvents(rule, i+1, senders[rule.Source])...)
	}
	return append([]finding{passed("sources", "%d: %s", len(sources), shortened(strings.Join(names, ", ")))}, all...)
}

// shortened bounds a list of up to a thousand names.
func shortened(list string) string {
	const longest = 200
	if len(list) > longest {
		return list[:longest] + "…"
	}
	return list
}

// unknownEvents warns about patterns without a wildcard that the sender is not known to have.
func unknownEvents(rule inbox.Rule, number int, sender *webhook.Sender) (all []finding) {
	for pattern := range strings.SplitSeq(rule.Match, "\n") {
		name := webhook.EventName(pattern)
		if sender == nil || strings.Contains(pattern, "*") || sender.Knows(name) {
			continue
		}
		advice := "octavo webhooks events --sender " + sender.Name() + " lists the known ones"
		if nearest := sender.Nearest(name); nearest != "" {
			advice = fmt.Sprintf("did you mean %s?", nearest)
		}
		all = append(
			all, warn("rule "+rule.Label(number), fmt.Sprintf("%s is not known to have the event %q", sender.Name(), pattern), advice),
		)
	}
	return all
}
