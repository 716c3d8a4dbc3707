// Package githubpayload has a type for the payload of each of GitHub's events, with all members,
// for receiver.OnTyped. It is generated from GitHub's own description, so it follows what GitHub
// adds, renames and removes. A program pays only for the types that it uses.
//
// A member that GitHub may omit or set to null has its zero value then, or is nil if it is an
// object; a number or a bool that can be null is a pointer. What the description gives several types
// is a json.RawMessage.
package githubpayload

import (
	"encoding/json"
	"time"
)

// Time is a point in time, which GitHub writes as a text or, in a push, as Unix seconds. It is zero
// for null.
type Time struct{ time.Time }

// layouts are how GitHub writes times; the second one is rare.
var layouts = []string{time.RFC3339, "2006-01-02 15:04:05", time.DateOnly}

// UnmarshalJSON reads a text, a number of seconds, or null. A text of any other form is zero.
func (t *Time) UnmarshalJSON(data []byte) error {
	t.Time = time.Time{}
	var seconds int64
	if json.Unmarshal(data, &seconds) == nil && string(data) != "null" {
		t.Time = time.Unix(seconds, 0).UTC()
		return nil
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	for _, layout := range layouts {
		if at, err := time.Parse(layout, text); err == nil {
			t.Time = at
			break
		}
	}
	return nil
}

// MarshalJSON writes a text in RFC 3339, or null for zero.
func (t Time) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return t.Time.MarshalJSON()
}
