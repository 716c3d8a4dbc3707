package inbox

import (
	"net/url"
	"time"

	"github.com/octavo-books/octavo/domain/text"
)

// The limits of the stored attempts. Of a job with a thousand attempts, and of a delivery
// that is redelivered a thousand times, the last ones are stored.
const (
	MaxAnswer           = 1024 // bytes of a target's answer, from its beginning
	MaxJobAttempts      = 20   // of one job
	MaxDeliveryAttempts = 200  // of one delivery
	maxTarget           = 500  // bytes of Attempt.Target
)

// Attempt is one request to a target.
type Attempt struct {
	Job      int64
	Number   int // of the job, from 1
	At       time.Time
	Rule     string // the rule's key, which the stores read from the job
	Target   string // Rule.Target at the time
	Status   int    // 0 if there was no response
	Error    string // "" if the target accepted the delivery
	Duration time.Duration
	Answer   string // the first MaxAnswer bytes of the response's body as text.Block returns them
}

// Target is the URL without its query, which may hold a secret.
func (r Rule) Target() string {
	target, err := url.Parse(r.URL)
	if err != nil {
		return ""
	}
	shown := url.URL{Scheme: target.Scheme, Host: target.Host, Path: target.Path, RawPath: target.RawPath}
	return text.Line(shown.String(), maxTarget)
}
