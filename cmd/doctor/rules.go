package doctor

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/octavo-books/octavo/adapters/forward"
	"github.com/octavo-books/octavo/adapters/outbound"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/cmd/config"
)

// checkAlerts connects to the address of ALERT_URL.
func checkAlerts(ctx context.Context, s *config.Settings, parts config.Components) []finding {
	if !parts.Webhooks || s.Webhooks.AlertURL == "" {
		return nil
	}
	target := inbox.Rule{URL: s.Webhooks.AlertURL, Private: s.Webhooks.AlertPrivate}
	switch err := connectToTargets(ctx, []inbox.Rule{target})[0]; {
	case errors.Is(err, outbound.ErrForbidden):
		return []finding{failed("alerts", fmt.Errorf("%s: %w", target.Host(), err), "set ALERT_PRIVATE=true, or choose another ALERT_URL")}
	case err != nil:
		return []finding{warn("alerts", target.Host()+": "+config.OneLine(err), "check that the server of ALERT_URL runs; until it does, alerts wait for it")}
	}
	return []finding{passed("alerts", "%s accepts connections", target.Host())}
}

// checkRules connects to the target of every forwarding rule.
func checkRules(ctx context.Context, s *config.Settings, parts config.Components) []finding {
	if !parts.Webhooks {
		return nil
	}
	rules, err := s.ForwardingRules()
	switch {
	case err != nil:
		return []finding{failed("rules", err, "check --forward and WEBHOOK_RULES")}
	case len(rules) == 0:
		return []finding{passed("rules", "none: deliveries are stored, but not forwarded")}
	}
	var bad []finding
	for i, err := range connectToTargets(ctx, rules) {
		if err != nil {
			bad = append(bad, unreachable(rules[i], i+1, err))
		}
	}
	all := passed("rules", "%d, of which %d have a target that accepts connections", len(rules), len(rules)-len(bad))
	return append([]finding{all}, bad...)
}

const (
	maxConnecting  = 64 // targets at the same time
	connectTimeout = 3 * time.Second
)

var errNotTried = errors.New("there was no time left to try it")

// connectToTargets returns an error for every rule, which is nil if its target
// accepts connections.
func connectToTargets(ctx context.Context, rules []inbox.Rule) []error {
	client := forward.New("Octavo-Webhooks/" + config.Version())
	defer client.Close()
	errs := make([]error, len(rules))
	slots := make(chan struct{}, maxConnecting)
	var wg sync.WaitGroup
	for i, rule := range rules {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if errs[i] = errNotTried; ctx.Err() == nil {
				errs[i] = connectToTarget(ctx, client, rule)
			}
		})
	}
	wg.Wait()
	return errs
}

func connectToTarget(ctx context.Context, client *forward.Client, rule inbox.Rule) error {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	return client.CheckTarget(ctx, rule.URL, rule.Private)
}

// unreachable warns about a target that is down, because deliveries wait for it. A
// forbidden address is a failure: waiting does not help.
func unreachable(rule inbox.Rule, number int, err error) finding {
	name := "rule " + rule.Label(number)
	if errors.Is(err, outbound.ErrForbidden) {
		return failed(name, fmt.Errorf("%s: %w", rule.Host(), err), "set private: true for the rule in the file of WEBHOOK_RULES, or choose another target")
	}
	return warn(name, rule.Host()+": "+config.OneLine(err), "check that the target runs; until it does, deliveries wait for it")
}
