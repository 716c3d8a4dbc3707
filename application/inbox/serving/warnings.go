package serving

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/inbox/sending"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/webhook"
)

// WarnOfRules logs what the rules can never do with the sources of now: match an event, or sign as
// a sender. Call it after SetRules and SetSources.
func (s *Service) WarnOfRules() {
	all := s.sources.Load()
	if all == nil {
		return
	}
	for _, pool := range s.pools() {
		rule := pool.Rule
		for pattern := range strings.SplitSeq(rule.Match, "\n") {
			if nearest, fits := fits(rule, pattern, *all); !fits {
				s.log.Warn(
					"a forwarding rule matches an event that none of its sources is known to send", "rule", pool.Label(), "match", pattern,
					"source", rule.Source, "nearest", nearest,
				)
			}
		}
		for _, name := range sending.Unsignable(rule, *all) {
			s.log.Warn(
				"a forwarding rule cannot sign as the sender of a source; its deliveries will fail", "rule", pool.Label(), "source", name,
			)
		}
	}
}

// fits reports whether one of the rule's sources may send an event that the pattern matches, and
// otherwise the nearest known event.
func fits(r inbox.Rule, pattern string, sources map[string]inbox.Source) (nearest string, fits bool) {
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		sender := sources[name].Sender
		switch {
		case r.Source != "" && r.Source != name:
			continue
		case name == event.Source:
			fits = inbox.CheckOwnPattern(pattern) == nil
		default:
			fits = sender.MaySend(pattern, inbox.MatchesPattern)
		}
		if fits {
			return "", true
		}
		nearest = cmp.Or(nearest, string(sender.Nearest(webhook.EventName(pattern))))
	}
	return nearest, false
}
