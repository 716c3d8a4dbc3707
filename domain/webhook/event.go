package webhook

import (
	"encoding/json"
	"strings"
)

// Event is one delivery of a webhook as received from the sender.
type Event struct {
	ID      string          // the sender's delivery id; may be empty
	Name    EventName       // the event without an action, for example "issues"
	Payload json.RawMessage // the bytes as received, shared by all handlers: never modify them

	// Header has the headers of the request that may be passed on to others: all, with the
	// sender's signature, except those of the connection and those that hold a secret. Repeated
	// ones are joined by commas. It is nil for Host, whose three headers follow from the other
	// fields, and for an event that did not arrive as a request. Never modify it.
	Header map[string]string
}

// Source returns the source at the Octavo that has forwarded the event; see the sender Octavo.
// It is "" for all other events.
func (e Event) Source() string { return e.Header["X-Octavo-Source"] }

// Action returns the payload's top-level member "action", "" if there is none or the
// payload is not a JSON object. It scans the payload on every call.
func (e Event) Action() string {
	action, err := Scan(e.Payload)
	if err != nil {
		return ""
	}
	return action
}

// EventName is an event such as "issues" or an event with an action such as
// "issues.opened".
type EventName string

// maxName limits names; the longest in the table has 40 bytes.
const maxName = 100

// IsEvent reports whether n can be an event name of Host: 1 to 100 characters of a-z,
// 0-9 and _, and not "error", which is reserved for error handlers. It need not be in
// the table.
func (n EventName) IsEvent() bool { return n != "error" && isWord(string(n)) }

// IsWellFormed reports whether n has the form of an event or of an event with an
// action, in the table or not.
func (n EventName) IsWellFormed() bool {
	event, action, dotted := strings.Cut(string(n), ".")
	return EventName(event).IsEvent() && (!dotted || isWord(action))
}

// isWord reports whether s is 1 to 100 characters of a-z, 0-9 and _.
func isWord(s string) bool {
	if s == "" || len(s) > maxName {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
}
