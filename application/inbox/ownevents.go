package inbox

import (
	"slices"
	"strings"

	"github.com/octavo-books/octavo/domain/event"
)

// checkOwnPattern refuses a pattern of a rule for event.Source that matches no type.
func checkOwnPattern(pattern string) error {
	if slices.ContainsFunc(event.Types(), func(t event.Type) bool { return matchesPattern(pattern, string(t)) }) {
		return nil
	}
	if nearest := event.Nearest(event.Type(pattern)); nearest != "" && !strings.Contains(pattern, anyEvent) {
		return ruleError("match", "%.100q is not an event of the source %s, did you mean %q?", pattern, event.Source, nearest)
	}
	return ruleError(
		"match", "%.100q matches no event of the source %s; `octavo webhooks events --source %s` lists them", pattern, event.Source,
		event.Source,
	)
}
