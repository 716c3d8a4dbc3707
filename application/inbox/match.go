package inbox

import (
	"strings"

	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/webhook"
)

// maxPatterns limits the patterns of a rule.
const maxPatterns = 100

// Matches reports whether the rule forwards deliveries of a subject.
func (r Rule) Matches(s Subject) bool {
	if r.Source != "" && r.Source != s.source {
		return false
	}
	name, joined := s.eventWithAction()
	for pattern := range strings.SplitSeq(r.Match, "\n") {
		if MatchesPattern(pattern, string(s.event)) || joined && MatchesPattern(pattern, string(name)) {
			return true
		}
	}
	return false
}

// MatchesPattern reports whether a pattern, in which each * stands for any characters
// or none, matches the whole name. It takes the leftmost place for each part, so the
// time is proportional to the product of the lengths at most.
func MatchesPattern(pattern, name string) bool {
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
		return RuleError("match", "it has more than %d patterns", maxPatterns)
	}
	for pattern := range strings.SplitSeq(r.Match, "\n") {
		if err := r.checkPattern(pattern); err != nil {
			return err
		}
	}
	return nil
}

// checkPattern refuses a pattern that no delivery can match: unless the rule is for another source,
// also an action that webhook.Host's table does not have.
func (r Rule) checkPattern(pattern string) error {
	name := webhook.EventName(pattern)
	switch {
	case !isPattern(pattern):
		return RuleError("match", "%.100q is not an event, an event.action or a pattern such as issues.* or *", pattern)
	case r.Source == event.Source:
		return CheckOwnPattern(pattern)
	case strings.Contains(pattern, AnyEvent), r.OtherSource(), name.IsEmitted(), event.Type(pattern).Known():
		return nil
	}
	if nearest := webhook.Nearest(name); nearest != "" {
		return RuleError("match", "%.100q is not an event, did you mean %q?", pattern, nearest)
	}
	if name.IsWellFormed() || name == "error" {
		return RuleError("match", "%.100q is not an event, an event.action or *; if another sender has it, name its source", pattern)
	}
	return nil
}

// isPattern reports whether events of any sender can have such a name.
func isPattern(pattern string) bool {
	event, action, dotted := strings.Cut(pattern, ".")
	if event == "" || dotted && action == "" || len(pattern) > MaxEvent+1+MaxAction {
		return false
	}
	for _, c := range []byte(pattern) {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

// OtherSource reports whether the rule is for sources that webhook.Host's table of events
// says nothing about.
func (r Rule) OtherSource() bool { return r.AnyName || r.Source != "" && r.Source != DefaultSource }

// Subject is all of a delivery that decides which rules match it.
type Subject struct {
	source string
	event  webhook.EventName
	action string
	host   bool // the sender is webhook.Host, which emits only listed actions
}

// Subject is what rules match.
func (d Delivery) Subject() Subject { return Subject{d.Source, d.Event, d.Action, d.Header == nil} }

// eventWithAction returns the event joined with its action. ok is false without such a
// name. The receiver has left out the actions of senders that have none.
func (s Subject) eventWithAction() (name webhook.EventName, ok bool) {
	if s.host {
		return s.event.With(s.action)
	}
	return s.event + "." + webhook.EventName(s.action), s.action != ""
}
