package inboxhttp

import (
	"math"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
)

// Attempt is a request to a target. Only the last ones of a delivery are stored:
// inbox.MaxJobAttempts for each target and inbox.MaxDeliveryAttempts in all.
type Attempt struct {
	At         time.Time `json:"at"`
	Rule       string    `json:"rule"`
	Target     string    `json:"target"`     // the URL without its query
	Status     *int      `json:"status"`     // null without a response
	Error      *string   `json:"error"`      // null if the target accepted the delivery
	DurationMs float64   `json:"durationMs"` // to the microsecond
	Answer     *string   `json:"answer"`     // the first 1,024 bytes of the body; null without a response
}

// viewAttempts converts attempts.
func viewAttempts(all []inbox.Attempt) []Attempt {
	views := make([]Attempt, 0, len(all))
	for _, a := range all {
		views = append(views, ViewAttempt(a))
	}
	return views
}

// ViewAttempt converts an attempt.
func ViewAttempt(a inbox.Attempt) Attempt {
	v := Attempt{
		At: a.At, Rule: a.Rule, Target: a.Target, Status: optional(a.Status), Error: optional(a.Error),
		DurationMs: milliseconds(a.Duration),
	}
	if a.Status != 0 {
		v.Answer = &a.Answer
	}
	return v
}

func milliseconds(d time.Duration) float64 {
	return math.Round(float64(d)/float64(time.Microsecond)) / 1000
}
