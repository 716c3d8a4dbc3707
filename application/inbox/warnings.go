package inbox

import (
	"cmp"
	"maps"
	"slices"
	"strings"

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
		rule := pool.rule
		for pattern := range strings.SplitSeq(rule.Match, "\n") {
			if nearest, fits := rule.fits(pattern, *all); !fits {
				s.log.Warn(
					"a forwarding rule matches an event that none of its sources is known to send", "rule", pool.label(), "match", pattern,
					"source", rule.Source, "nearest", nearest,
				)
			}
		}
		for _, name := range rule.unsignable(*all) {
			s.log.Warn(
				"a forwarding rule cannot sign as the sender of a source; its deliveries will fail", "rule", pool.label(), "source", name,
			)
		}
	}
}

// fits reports whether one of the rule's sources may send an event that the pattern matches, and
// otherwise the nearest known event.
func (r Rule) fits(pattern string, sources map[string]Source) (nearest string, fits bool) {
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		sender := sources[name].Sender
		switch {
		case r.Source != "" && r.Source != name:
			continue
		case name == event.Source:
			fits = checkOwnPattern(pattern) == nil
		default:
			fits = sender.MaySend(pattern, matchesPattern)
		}
		if fits {
			return "", true
		}
		nearest = cmp.Or(nearest, string(sender.Nearest(webhook.EventName(pattern))))
	}
	return nearest, false
}
