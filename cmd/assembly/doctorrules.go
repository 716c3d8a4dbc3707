package assembly

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/octavo-books/octavo/adapters/forward"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/cmd/config"
)

// ruleFindings connect to the targets of the forwarding rules.
func ruleFindings(ctx context.Context, s *config.Settings, parts config.Components) []finding {
	if !parts.Webhooks {
		return nil
	}
	rules, err := s.ForwardingRules()
	switch {
	case err != nil:
		return []finding{ill("rules", err, "look at --forward and WEBHOOK_RULES")}
	case len(rules) == 0:
		return []finding{fine("rules", "none: deliveries are stored and forwarded to nobody")}
	}
	var failed []finding
	for i, err := range tryTargets(ctx, rules) {
		if err != nil {
			failed = append(failed, targetFinding(rules[i], i+1, err))
		}
	}
	all := fine("rules", "%d, of which %d lead to a target that takes connections", len(rules), len(rules)-len(failed))
	return append([]finding{all}, failed...)
}

// How many targets are tried at the same time, and for how long each.
const (
	triesAtOnce = 64
	tryTimeout  = 3 * time.Second
)

var errNotTried = errors.New("there was no time left to try it")

// tryTargets tells for each rule why its target cannot be reached, nil where it can.
func tryTargets(ctx context.Context, rules []inbox.Rule) []error {
	client := forward.New("Octavo-Webhooks/" + config.Version())
	defer client.Close()
	errs := make([]error, len(rules))
	places := make(chan struct{}, triesAtOnce)
	var trying sync.WaitGroup
	for i, rule := range rules {
		trying.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			if errs[i] = errNotTried; ctx.Err() == nil {
				errs[i] = tryTarget(ctx, client, rule)
			}
		})
	}
	trying.Wait()
	return errs
}

func tryTarget(ctx context.Context, client *forward.Client, rule inbox.Rule) error {
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	return client.Check(ctx, rule.URL, rule.Private)
}

// targetFinding is for a target that cannot be reached. What is down may come
// back, and deliveries wait for it; what is forbidden stays so.
func targetFinding(rule inbox.Rule, number int, err error) finding {
	name := "rule " + rule.Label(number)
	if errors.Is(err, forward.ErrForbidden) {
		return ill(name, fmt.Errorf("%s: %w", rule.Host(), err), "write private: true in the rule, in the file of WEBHOOK_RULES, or name another target")
	}
	return doubtful(name, rule.Host()+": "+config.OneLine(err), "look whether the target runs; until it does, deliveries wait for it")
}
