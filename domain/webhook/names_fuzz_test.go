package webhook_test

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/webhook"
)

// Whatever the action in a payload, the dispatched name is well formed, can be
// registered, and is in the table if its event is.
func FuzzNameWithAction(f *testing.F) {
	f.Add("issues", "opened")
	f.Add("issues", "exploded")
	f.Add("merge_group", "checks_requested")
	f.Add("merge_group", "a.b")
	f.Add("error", "*")
	f.Add("*", "\x00")
	f.Fuzz(func(t *testing.T, event, action string) {
		name, ok := webhook.EventName(event).With(action)
		joined := webhook.EventName(event + "." + action)
		if !ok {
			if name != "" || joined.IsEmitted() {
				t.Fatalf("%q is emitted, but With gives %q", joined, name)
			}
			return
		}
		listed := webhook.EventName(event).Known()
		if name != joined || !name.IsWellFormed() || !name.IsEmitted() || listed && !name.Known() || strings.Count(string(name), ".") != 1 || len(name) > 201 {
			t.Fatalf("%q with %q is emitted as %q", event, action, name)
		}
		webhook.Nearest(name)
	})
}
