package inbox

import (
	"slices"
	"strings"

	"github.com/octavo-books/octavo/domain/event"
)

// CheckOwnPattern refuses a pattern of a rule for event.Source that matches no type.
func CheckOwnPattern(pattern string) error {
	if slices.ContainsFunc(event.Types(), func(t event.Type) bool { return MatchesPattern(pattern, string(t)) }) {
		return nil
	}
	if nearest := event.Nearest(event.Type(pattern)); nearest != "" && !strings.Contains(pattern, AnyEvent) {
		return RuleError("match", "%.100q is not an event of the source %s, did you mean %q?", pattern, event.Source, nearest)
	}
	return RuleError(
		"match", "%.100q matches no event of the source %s; `octavo webhooks events --source %s` lists them", pattern, event.Source,
		event.Source,
	)
}
