package inbox

import (
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
)

// Delivery is a stored webhook.
type Delivery struct {
	Seq        int64 // ours, in the order of arrival
	ID         string
	Event      webhook.EventName
	Action     string // "" where the payload has none
	ReceivedAt time.Time
	Payload    []byte // nil once it was dropped by age
	Jobs       []Job
}

// JobState says how far the forwarding of a delivery to one target is. The
// numbers are stored.
type JobState int

// The states of a job.
const (
	Open      JobState = 0 // due now or later, or being sent
	Delivered JobState = 1 // the target has taken it
	Dead      JobState = 2 // given up; waits for somebody to redeliver it
	Replaced  JobState = 3 // was dead or waited, then redelivered by a newer job
)

var jobStates = [...]string{"pending", "delivered", "dead", "replaced"}

// String is the state's name in the API.
func (s JobState) String() string {
	if s < 0 || int(s) >= len(jobStates) {
		return "unknown"
	}
	return jobStates[s]
}

// Job is the forwarding of one delivery by one rule.
type Job struct {
	ID         int64
	Seq        int64  // of the delivery
	Rule       string // the rule's key
	OrderKey   string // jobs of a rule with the same key go one after another; "" needs no order
	State      JobState
	DueAt      time.Time
	LeaseUntil time.Time // until then somebody is sending it; zero: nobody is
	Attempts   int       // how often it was begun
	Redelivery bool      // somebody asked for it again
	Status     int       // what the target answered last, 0 for none
	Error      string    // why the last try failed
	ChangedAt  time.Time
}

// Task is a job that was claimed, with what to send.
type Task struct {
	Job
	DeliveryID string
	Event      webhook.EventName
	Payload    []byte // nil where it is gone or damaged
	Damaged    bool   // the store cannot read the payload
}

// Outcome is what became of a try. It counts only while the job's Attempts are
// still those of the try: whoever lost the lease changes nothing.
type Outcome struct {
	Job      int64
	Attempts int
	State    JobState
	DueAt    time.Time // of a job that stays Open, else zero
	Untried  bool      // given back without a try: the attempt does not count
	Status   int
	Error    string
	At       time.Time

	stored func() // called after the commit
}

// Batch is what one transaction stores.
type Batch struct {
	Deliveries []Delivery
	Outcomes   []Outcome
	// Replays, where it is set, has the hash of each delivery; one whose hash was
	// stored and has not run out is a duplicate whatever its id.
	Replays []Replay
}

// Replay is the hash of a delivery and how long it keeps others out.
type Replay struct {
	Hash  [32]byte
	Until time.Time
}

// Stats tells what waits.
type Stats struct {
	Open   int
	Dead   int
	Oldest time.Time // when the oldest open job's delivery arrived; zero without one
}
