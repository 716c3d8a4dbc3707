package webhook

import "strings"

// HashesBody reports whether the ids of the sender's deliveries are made of their bodies.
func (s *Sender) HashesBody() bool {
	s = s.orHost()
	return s.id.hash && len(s.id.list) == 0
}

// eventForms are texts that every event of a sender contains.
var eventForms = map[string]string{"gitlab": " Hook", "bitbucket": ":", "shopify": "/", "stripe": "."}

// MaySend reports whether the sender can have an event that a pattern matches. The pattern is an
// event or event.action in which * stands for any characters, and matches decides. For senders
// without a list of events it recognises only what none of them has.
func (s *Sender) MaySend(pattern string, matches func(pattern, name string) bool) bool {
	s = s.orHost()
	switch {
	case s.closed: // it accepts events outside its list, too
		return strings.Contains(pattern, "*") || EventName(pattern).IsWellFormed()
	case len(s.event.list) == 0:
		return matches(pattern, s.event.fallback)
	case !strings.Contains(pattern, "*") && !strings.Contains(pattern, eventForms[s.name]):
		return false
	}
	all := s.names()
	if len(all) == 0 || !strings.Contains(pattern, "*") {
		return s.Knows(EventName(pattern))
	}
	for _, name := range all {
		if matches(pattern, string(name)) {
			return true
		}
	}
	return false
}
