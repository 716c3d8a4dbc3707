package inbox

import (
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
)

// Source is where deliveries come from.
type Source struct {
	Sender *webhook.Sender
	Dedupe time.Duration // how long an id is remembered; 0 as long as it is stored, but five minutes if it is made of the body; or NoDedupe
}

// DedupeOfBodies says how long the same body of a source counts as one delivery, for senders
// whose deliveries have no id: 0 for never. ok is false for all others.
func (s Source) DedupeOfBodies() (window time.Duration, ok bool) {
	switch {
	case !s.Sender.HashesBody():
		return 0, false
	case s.Dedupe == NoDedupe:
		return 0, true
	case s.Dedupe == 0:
		return BodyDedupe, true
	}
	return s.Dedupe, true
}
