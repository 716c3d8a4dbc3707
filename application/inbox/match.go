package inbox

import (
	"strings"

	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/webhook"
)

// maxPatterns limits the patterns of a rule.
const maxPatterns = 100

// matches reports whether the rule forwards deliveries of a subject.
func (r Rule) matches(s subject) bool {
	if r.Source != "" && r.Source != s.source {
		return false
	}
	name, joined := s.eventWithAction()
	for pattern := range strings.SplitSeq(r.Match, "\n") {
		if matchesPattern(pattern, string(s.event)) || joined && matchesPattern(pattern, string(name)) {
			return true
		}
	}
	return false
}

// matchesPattern reports whether a pattern, in which each * stands for any characters
// or none, matches the whole name. It takes the leftmost place for each part, so the
// time is proportional to the product of the lengths at most.
func matchesPattern(pattern, name string) bool {
	first, rest, wildcard := strings.Cut(pattern, "*")
	if !wildcard {
		return pattern == name
	}
	name, ok := strings.CutPrefix(name, first)
	for ok {
		var part string
		if part, rest, wildcard = strings.Cut(rest, "*"); !wildcard {
			return strings.HasSuffix(name, part)
		}
		_, name, ok = strings.Cut(name, part)
	}
	return false
}

// checkMatch validates the patterns of a rule.
func (r Rule) checkMatch() error {
	if strings.Count(r.Match, "\n") >= maxPatterns {
		return ruleError("match", "it has more than %d patterns", maxPatterns)
	}
	for pattern := range strings.SplitSeq(r.Match, "\n") {
		if err := r.checkPattern(pattern); err != nil {
			return err
		}
	}
	return nil
}

// checkPattern refuses a pattern that no delivery can match. Unless the rule is for another
// source, a name close to one in webhook.Host's table counts as misspelt.
func (r Rule) checkPattern(pattern string) error {
	name := webhook.EventName(pattern)
	switch {
	case !isPattern(pattern):
		return ruleError("match", "%.100q is not an event, an event.action or a pattern such as issues.* or *", pattern)
	case r.Source == event.Source:
		return checkOwnPattern(pattern)
	case strings.Contains(pattern, anyEvent), r.otherSource(), name.IsEmitted(), event.Type(pattern).Known():
		return nil
	}
	if nearest := webhook.Nearest(name); nearest != "" {
		return ruleError("match", "%.100q is not an event, did you mean %q?", pattern, nearest)
	}
	if name.IsWellFormed() || name == "error" {
		return ruleError("match", "%.100q is not an event, an event.action or *; if another sender has it, name its source", pattern)
	}
	return nil
}

// isPattern reports whether events of any sender can have such a name.
func isPattern(pattern string) bool {
	event, action, dotted := strings.Cut(pattern, ".")
	if event == "" || dotted && action == "" || len(pattern) > maxEvent+1+maxAction {
		return false
	}
	for _, c := range []byte(pattern) {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

// otherSource reports whether the rule is for sources that webhook.Host's table of events
// says nothing about.
func (r Rule) otherSource() bool { return r.AnyName || r.Source != "" && r.Source != DefaultSource }
