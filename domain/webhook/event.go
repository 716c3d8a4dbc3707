package webhook

import (
	"encoding/json"
	"strings"
)

// Event is one delivery of a webhook as it came from the sender.
type Event struct {
	ID      string          // the sender's delivery id; may be empty where nothing needs it
	Name    EventName       // the event without an action, for example "issues"
	Payload json.RawMessage // the bytes as received, shared by all handlers: never modify them
}

// Action is the payload's top-level action, "" where it has none or is not a
// JSON object. It scans the payload on every call.
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

// maxName is far above the longest name in the table (40 bytes).
const maxName = 100

// IsEvent reports whether n can name an event on the wire: one to 100 of a-z,
// 0-9 and _, and not "error", which belongs to error handlers. It need not be
// in the table.
func (n EventName) IsEvent() bool { return n != "error" && isWord(string(n)) }

// IsWellFormed reports whether n is spelled like an event or like an event with an
// action, in the table or not. An action is spelled like an event.
func (n EventName) IsWellFormed() bool {
	event, action, dotted := strings.Cut(string(n), ".")
	return EventName(event).IsEvent() && (!dotted || isWord(action))
}

// isWord reports whether s is one to 100 of a-z, 0-9 and _.
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
