package inbox

import (
	"context"
	"io"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
)

// Store keeps deliveries. Every adapter passes contract.Inbox.
type Store interface {
	// Commit stores a batch in one durable transaction. fresh tells for each
	// delivery whether it was stored; one whose id (or unexpired hash) is known,
	// also from earlier in the batch, is not, and none of its jobs is. An outcome
	// whose job has other Attempts by now is dropped.
	Commit(ctx context.Context, b Batch) (fresh []bool, err error)
}

// Queue gives out the jobs to send. Every adapter passes contract.Inbox.
type Queue interface {
	// Claim leases up to c.Limit due jobs of a rule to the caller and counts an
	// attempt for each, the longest due first and of those the oldest delivery's.
	// No two callers get the same job while its lease lasts. Of jobs with the same
	// order key only the oldest open one can be claimed.
	Claim(ctx context.Context, c Claim) ([]Task, error)
	// Recover makes every open job due at now, but those that a process which
	// lives has leased. It is called once at start.
	Recover(ctx context.Context, now time.Time) error
	// TakeOver ends the leases of processes that are gone and tells how many. It
	// is asked every moment and costs little where there is none.
	TakeOver(ctx context.Context) (jobs int, err error)
	// Bury makes dead, with reason as their error, the open jobs without a live
	// lease whose rule is none of rules, and tells how many.
	Bury(ctx context.Context, rules []string, reason string, now time.Time) (int, error)
}

// Claim asks for jobs.
type Claim struct {
	Rule       string
	Now        time.Time
	LeaseUntil time.Time
	Limit      int
}

// Archive looks at what is stored. Every adapter passes contract.Inbox.
type Archive interface {
	// List gives deliveries with their jobs but without payloads, newest first,
	// q.Limit at most. next is the Query.Before to go on with, 0 where nothing is
	// left. A page may be short before that, even empty: what one call looks at is
	// bounded.
	List(ctx context.Context, q Query) (page []Delivery, next int64, err error)
	// Find gives a delivery with its jobs and payload, or ErrNotFound or
	// ErrPayloadDamaged.
	Find(ctx context.Context, id string) (Delivery, error)
	// Redeliver adds jobs to a delivery whose payload is still there, in one
	// transaction. They take the place of its dead ones and, of those that wait for
	// another try, of the ones by the same rules: those are Replaced. It is
	// ErrNotFound or ErrPayloadGone where that cannot be.
	Redeliver(ctx context.Context, seq int64, jobs []Job) error
}

// Query chooses deliveries.
type Query struct {
	State  string            // "pending", "delivered", "dead", or "" for all
	Event  webhook.EventName // "" for all
	Before int64             // only those with a smaller Seq; 0 for all
	From   time.Time         // received then or later; zero for all
	To     time.Time         // received before; zero for all
	Limit  int
}

// RuleStore tells programs beside the service which rules it has. Every adapter
// passes contract.Inbox.
type RuleStore interface {
	// SaveRules replaces the rules that are stored, all or none, by the Key, Match
	// and OrderBy of these. Of two callers at once one is the last.
	SaveRules(ctx context.Context, rules []Rule) error
	// LoadRules gives what was saved last, in the same order; the Key comes back
	// as the Name. There are none where none were ever saved.
	LoadRules(ctx context.Context) ([]Rule, error)
}

// Keeper watches over the size of the store. Every adapter passes contract.Inbox.
type Keeper interface {
	// Prune drops, in one small step, payloads received before bodies and whole
	// deliveries received before ids or beyond the newest most, but nothing that
	// has an open job. more says that there is more to do.
	Prune(ctx context.Context, p Retention) (more bool, err error)
	// Stats counts what waits.
	Stats(ctx context.Context) (Stats, error)
}

// Retention is what Prune may drop.
type Retention struct {
	Bodies, IDs time.Time
	Most        int
	Now         time.Time // hashes that have run out by then go
}

// Sender sends to a target.
type Sender interface {
	// Send posts a shipment and returns the target's answer, whatever its status.
	// An error is for a target that gave none, or that may not be reached. It
	// ends at the context's deadline and follows no redirect.
	Send(ctx context.Context, s Shipment) (Answer, error)
}

// Shipment is one try to forward a delivery.
type Shipment struct {
	URL        string
	Private    bool // names that resolve to private addresses are allowed
	ID         string
	Event      webhook.EventName
	Signature  string
	Attempt    int
	Redelivery bool
	Payload    []byte
}

// Answer is what a target said.
type Answer struct {
	Status     int
	RetryAfter time.Duration // 0 where it did not say
}

// Meter counts what happens. Its methods return at once.
type Meter interface {
	// Accepted tells what became of a delivery: stored, duplicate, full or failed.
	Accepted(outcome string)
	// Forwarded tells of one try: delivered, failed, dead or gone. The rule is its
	// Label.
	Forwarded(rule, outcome string, took time.Duration)
	// Waiting tells what waits, every few seconds.
	Waiting(s Stats, oldest time.Duration)
}

// Clock tells the time.
type Clock interface{ Now() time.Time }

// IDs gives numbers that grow.
type IDs interface{ Next() int64 }

// Ports are what the service needs.
type Ports struct {
	Store   Store
	Queue   Queue
	Archive Archive
	Rules   RuleStore
	Keeper  Keeper
	Sender  Sender
	Meter   Meter
	Clock   Clock
	IDs     IDs
	Random  io.Reader
}
