package inbox

import (
	"time"

	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/webhook"
)

// Delivery is a stored webhook.
type Delivery struct {
	Seq        int64  // our own number, in the order of arrival
	Source     string // DefaultSource or the name of another one
	ID         string // the sender's, unique within the source; see SenderID
	Original   string // the sender's id, if others with it were stored before; "" otherwise
	Conflict   bool   // none of these has its body
	Event      webhook.EventName
	Action     string // "" if the payload has none
	ReceivedAt time.Time
	Header     map[string]string // webhook.Event.Header: nil if the sender is webhook.Host
	Payload    []byte            // nil once it has been pruned
	Jobs       []Job
	Attempts   []Attempt // oldest first; only FindDelivery reads them
	Others     []string  // of the deliveries with the same SenderID, newest first, by ID or FirstVersion; only FindDelivery reads them
}

// DefaultSource is the source whose path and secret are settings of their own.
const DefaultSource = "default"

// JobState is the state of a job. The numbers are stored.
type JobState int

// The states of a job.
const (
	Open      JobState = 0 // due now or later, or being sent
	Delivered JobState = 1 // the target accepted it
	Dead      JobState = 2 // a dead letter: given up until somebody redelivers it
	Replaced  JobState = 3 // superseded by the job of a redelivery
)

var jobStates = [...]string{"pending", "delivered", "dead", "replaced"}

// String is the state's name in the API.
func (s JobState) String() string {
	if s < 0 || int(s) >= len(jobStates) {
		return "unknown"
	}
	return jobStates[s]
}

// Job forwards one delivery by one rule.
type Job struct {
	ID         int64
	Seq        int64  // of the delivery
	Rule       string // the rule's key
	OrderKey   string // jobs of a rule with the same key are sent one after another; "" for no order
	State      JobState
	DueAt      time.Time
	LeaseUntil time.Time // until then a worker owns it; zero without a lease
	Attempts   int       // attempts begun
	Redelivery bool      // added by a redelivery
	Status     int       // of the target's last response, 0 without one
	Error      string    // why the last attempt failed
	ChangedAt  time.Time
}

// Task is a claimed job together with the delivery to send.
type Task struct {
	Job
	Source     string
	DeliveryID string
	Original   string // Delivery.Original
	Event      webhook.EventName
	Header     map[string]string // Delivery.Header
	Payload    []byte            // nil if it was pruned or is damaged
	Damaged    bool              // the store cannot read the payload
}

// Outcome is the result of an attempt. Attempts fences it: once another worker
// has claimed the job, an outcome of the earlier attempt changes nothing.
type Outcome struct {
	Job      int64
	Attempts int
	State    JobState
	DueAt    time.Time // of a job that stays Open, else zero
	Returned bool      // returned to the queue unsent: the attempt does not count
	Status   int
	Error    string
	At       time.Time
	Attempt  *Attempt // stored with the outcome; nil if no request was made
}

// Batch is the work of one transaction.
type Batch struct {
	Deliveries []Delivery
	Outcomes   []Outcome
	// Replays, if set, has the hash of each delivery. A delivery whose hash is stored
	// and has not expired is a duplicate, whatever its id.
	Replays []Replay
}

// Replay is the hash of a delivery and the time until which others with this hash are
// duplicates. Without a time the delivery is not compared.
type Replay struct {
	Hash  [32]byte
	Until time.Time
}

// Stats counts the jobs in the store.
type Stats struct {
	Open   int
	Dead   int
	Oldest time.Time // when the delivery of the oldest open job arrived; zero without one
}

// Length limits in bytes: the stores index the id and the event.
const (
	MaxSource = 64
	MaxID     = 256
	MaxEvent  = 100
	MaxAction = 100
)

// IsStorable reports whether a name from outside can be stored unchanged.
func IsStorable(s string, limit int) bool { return text.Line(s, limit) == s }
