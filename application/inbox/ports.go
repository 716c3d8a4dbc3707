package inbox

import (
	"context"
	"io"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
)

// Store keeps deliveries, the jobs to send them, and what is known of rules, for all processes that
// share it. Every adapter passes contract.Inbox.
type Store interface {
	// CommitBatch stores a batch in one durable transaction. fresh reports for each
	// delivery whether it was stored. A delivery is a duplicate if its source has a delivery
	// with its id, or if its hash is stored and has not expired; earlier deliveries of the
	// batch count. Neither a duplicate nor its jobs are stored. An outcome whose job has a
	// different number of Attempts by now is dropped, but its Attempt is stored, because the
	// target has got the request. An Attempt is dropped if its job is gone or its number is
	// stored already. Storing one deletes the job's attempts whose numbers are lower by
	// MaxJobAttempts or more.
	CommitBatch(ctx context.Context, b Batch) (fresh []bool, err error)

	// The jobs to send.

	// ClaimJobs leases up to c.Limit due jobs of a rule to the caller and counts an
	// attempt for each, ordered by due time, then by the age of the delivery. No two
	// callers get the same job while its lease lasts. Of jobs with the same order
	// key only the oldest open one can be claimed.
	ClaimJobs(ctx context.Context, c Claim) ([]Task, error)
	// DueRules returns the keys of the rules that have an open job due at now, leased or not,
	// and when the next one of the other jobs is due, zero without one. It costs as much as
	// there are rules with open jobs, however many those have.
	DueRules(ctx context.Context, now time.Time) (keys []string, next time.Time, err error)
	// RequeueJobs makes every open job due at now, except jobs that a live process
	// has leased. The service calls it once at start.
	RequeueJobs(ctx context.Context, now time.Time) error
	// ReclaimLeases ends the leases of processes that are gone and returns their number, and
	// whether others are left. The service calls it every second while there are, so it is
	// cheap.
	ReclaimLeases(ctx context.Context) (jobs int, left bool, err error)
	// DeadLetterJobs marks as dead, with reason as their error, the open jobs without
	// a live lease whose rule is not in rules, and returns their number.
	DeadLetterJobs(ctx context.Context, rules []string, reason string, now time.Time) (int, error)
	// WaitFor returns after a commit, of any process, that has made such a change, at due,
	// unless it is zero, and now and then in case the notification of a change was lost. Of the
	// goroutines that wait in a process, a change wakes one.
	WaitFor(ctx context.Context, c Change, due time.Time)

	// Stored deliveries.

	// ListDeliveries returns deliveries with their jobs but without payloads, newest
	// first, at most q.Limit. next is the Query.Before of the next page, 0 at the
	// end. A page before the end may be short, even empty, because one call examines
	// a bounded number of deliveries.
	ListDeliveries(ctx context.Context, q Query) (page []Delivery, next int64, err error)
	// CountDeliveries counts the deliveries of a query by state: one Count for each step
	// from q.From until q.To, oldest first, including empty ones. It ignores q.Before and
	// q.Limit. One call examines a bounded number of deliveries, the newest; it leaves out
	// the steps before them.
	CountDeliveries(ctx context.Context, q Query, step time.Duration) ([]Count, error)
	// FindDelivery returns the newest delivery whose ID or Original is id or, without one, the
	// one whose ID id is the FirstVersion of, with its jobs, payload, last MaxDeliveryAttempts
	// attempts and the Others of its source, or ErrNotFound or ErrPayloadDamaged. If source is
	// "", it looks in all sources.
	FindDelivery(ctx context.Context, source, id string) (Delivery, error)
	// FindVersions returns the newest deliveries of a source whose ID or Original is id, newest
	// first, at most limit, with their jobs and payloads. A payload that is damaged is nil.
	FindVersions(ctx context.Context, source, id string, limit int) ([]Delivery, error)
	// AddRepeat adds those of the jobs to a delivery that RepeatedJobs returns, and returns them,
	// in one transaction: of concurrent calls with the same jobs one adds them. If it adds any,
	// the dead jobs of the delivery become Replaced. The errors are ErrNotFound and
	// ErrPayloadGone.
	AddRepeat(ctx context.Context, seq int64, jobs []Job) (added []Job, err error)
	// AddRedelivery adds jobs to a delivery whose payload is still stored, in one
	// transaction. The delivery's dead jobs become Replaced, and so do its jobs of
	// the same rules that wait for a retry. Attempts of the delivery beyond the last
	// MaxDeliveryAttempts are deleted. The errors are ErrNotFound and ErrPayloadGone.
	AddRedelivery(ctx context.Context, seq int64, jobs []Job) error

	// The feed: the deliveries in the order in which they were stored, as long as their payloads are. A
	// position is a number that grows in this order.

	// FeedEnd returns a position up to which the feed is complete: no process will store
	// another delivery at or below it. Once the running transactions have ended, it is the
	// position of the last delivery.
	FeedEnd(ctx context.Context) (int64, error)
	// ReadFeed returns up to limit deliveries, without their payloads and jobs, with
	// positions above after and up to end, in their order.
	ReadFeed(ctx context.Context, after, end int64, limit int) ([]FeedDelivery, error)
	// ReadPayload returns the payload of a delivery, nil once it has been pruned, or
	// ErrPayloadDamaged.
	ReadPayload(ctx context.Context, seq int64) ([]byte, error)

	// The rules of the running service, for other processes such as the command line, and their states.

	// SaveRules replaces the stored rules, all or none, by the Key, Target, Source, Match,
	// Where, OrderBy, Rate and Paused of these. Of concurrent calls one wins entirely.
	SaveRules(ctx context.Context, rules []Rule) error
	// LoadRules returns the rules saved last, in the same order, with the Key as the
	// Name and the Target as the URL. There are none before the first SaveRules.
	LoadRules(ctx context.Context) ([]Rule, error)
	// PauseRule records that an operator paused the rule at a time, or resumed it if
	// the time is zero. A second pause changes nothing. Resuming also forgets
	// FailingSince, because during the pause nothing was tried.
	PauseRule(ctx context.Context, rule string, at time.Time) error
	// PausedRules returns the keys of the rules that an operator has paused. The
	// service calls it after each change and now and then.
	PausedRules(ctx context.Context) ([]string, error)
	// RecordAttempts merges the reports of one process into the states of their rules,
	// all or none.
	RecordAttempts(ctx context.Context, reports []AttemptReport) error
	// ListRuleStates returns the state of every rule that has one or has an open or dead
	// job, in the order of the keys. Attempts and failures are those after since, in
	// steps of AttemptStep.
	ListRuleStates(ctx context.Context, since time.Time) ([]RuleState, error)

	// Alerts about rules.

	// ListTroubledRules returns the states, without the numbers of attempts and jobs, of
	// the rules that fail, have a dead letter newer than their last alert, or whose last
	// alert was about a failure. The service calls it every few seconds, so it is cheap.
	ListTroubledRules(ctx context.Context) ([]RuleState, error)
	// FindDead returns the newest delivery with a dead job of a rule, without its payload, or
	// ErrNotFound.
	FindDead(ctx context.Context, rule string) (Delivery, error)
	// RaiseAlerts stores alerts about a rule and increments its AlertCount, if that is still
	// count. raised is false if another process was first: of concurrent calls one raises
	// its alerts.
	RaiseAlerts(ctx context.Context, rule string, count int, at time.Time, alerts []Alert) (raised bool, err error)
	// ClaimAlert returns the oldest alert of a channel, if it is due, counts an attempt and
	// leases it to the caller until a time. Later alerts wait for it.
	ClaimAlert(ctx context.Context, channel string, now, until time.Time) (a Alert, found bool, err error)
	// FinishAlert deletes a claimed alert, or makes it due again if retryAt is not zero. It
	// changes nothing once another process has claimed the alert.
	FinishAlert(ctx context.Context, a Alert, retryAt time.Time) error

	// Bounds and measures.

	// PrepareStorage makes room for the next deliveries, of which about most are kept. The
	// service calls it at start and at every poll, so it is cheap when there is room. If it
	// fails, deliveries are stored nevertheless, but pruning them costs more.
	PrepareStorage(ctx context.Context, most int) error
	// FindExcess returns the Seq of the last delivery to delete so that about most remain, or
	// 0 if there are no more than that. Deliveries with open jobs stay. One call may find
	// only the first million. If most is above ten million, the result may be an estimate
	// that leaves somewhat fewer.
	FindExcess(ctx context.Context, most int) (seq int64, err error)
	// PruneDeliveries deletes, in one small step, attempts that exceed the retention, and
	// payloads and whole deliveries, except those with an open job. If more is true, call it
	// again with next. If more than a few dozen payloads expire in a second, the last of them
	// may stay until a sixteenth of the deliveries that PrepareStorage prepared for have been
	// stored after them. While another process prunes, it does nothing.
	PruneDeliveries(ctx context.Context, p Retention) (next Retention, more bool, err error)
	// CountJobs counts the open and the dead jobs.
	CountJobs(ctx context.Context) (Stats, error)
}

// Change is something that other processes wait for.
type Change string

// The changes.
const (
	JobsChanged   Change = "inbox.jobs"   // jobs without a lease were stored, or put off
	LeasesTaken   Change = "inbox.leases" // a process leases jobs; at most once a second
	PausesChanged Change = "inbox.pauses" // a rule was paused or resumed
)

// Claim asks for due jobs of one rule.
type Claim struct {
	Rule       string
	Now        time.Time
	LeaseUntil time.Time
	Limit      int
}

// Query selects deliveries.
type Query struct {
	State  string            // of Delivery.State, or "" for all
	Source string            // "" for all
	Event  webhook.EventName // "" for all
	Before int64             // only those with a smaller Seq; 0 for all
	From   time.Time         // received then or later; zero for all
	To     time.Time         // received before; zero for all
	Limit  int

	// Text is an id, or a part of one or of a payload; "" for all. Stores ignore it.
	Text string
}

// Retention is what PruneDeliveries may delete.
type Retention struct {
	PayloadsBefore   time.Time // payloads received earlier
	DeliveriesBefore time.Time // whole deliveries received earlier
	UpTo             int64     // whole deliveries with this Seq or a smaller one
	AttemptsBefore   time.Time // attempts begun earlier, and states of rules that were removed earlier
	MaxAttempts      int       // attempts that this number or more were stored after
	Now              time.Time // replay hashes that have expired by then

	// What earlier steps have examined. Both are zero in the first.
	FromSeq      int64
	FromPosition int64
}

// Forwarder sends deliveries to targets.
type Forwarder interface {
	// ForwardDelivery posts a delivery and returns the target's response, whatever
	// its status. An error means that there was no response or that the address is
	// not allowed. The call ends at the context's deadline and follows no redirect.
	ForwardDelivery(ctx context.Context, r ForwardRequest) (ForwardResponse, error)
}

// ForwardRequest is one attempt to forward a delivery.
type ForwardRequest struct {
	URL        string
	Private    bool   // names that resolve to private addresses are allowed
	ID         string // X-Host-Delivery or, with Header, Webhook-Id
	Source     string // "" for what is no delivery
	Event      webhook.EventName
	Header     map[string]string // of the sender; nil for webhook.Host, whose three headers are made of the other fields
	RuleHeader map[string]string // of the rule; they precede those of the delivery
	Timestamp  string            // of the signature; "" for webhook.Host's, which has none
	Signature  string            // "" for none
	Attempt    int
	Redelivery bool
	Payload    []byte
}

// ForwardResponse is a target's response.
type ForwardResponse struct {
	Status     int
	RetryAfter time.Duration // 0 without that header
	Answer     []byte        // the beginning of the body, enough for MaxAnswer bytes of text
}

// Meter records metrics. Its methods do not block.
type Meter interface {
	// CountDelivery counts a delivery by its source and outcome: stored, duplicate, full
	// or failed.
	CountDelivery(source, outcome string)
	// ObserveForward records one attempt by its outcome (delivered, failed, dead or
	// gone) and duration. rule is the rule's Label.
	ObserveForward(rule, outcome string, took time.Duration)
	// ObserveBacklog records the number of jobs and the age of the oldest open one,
	// every few seconds.
	ObserveBacklog(s Stats, oldest time.Duration)
	// ObservePausedRules records the number of paused rules, every few seconds.
	ObservePausedRules(n int)
	// CountUnmatched counts a stored delivery that no rule took.
	CountUnmatched(source string)
}

// Clock tells the time.
type Clock func() time.Time

// Now returns the time.
func (c Clock) Now() time.Time { return c() }

// IDs generates increasing numbers.
type IDs func() int64

// Next returns the next one.
func (g IDs) Next() int64 { return g() }

// Ports are the adapters that the service needs.
type Ports struct {
	Store     Store
	Compile   CompileExpression
	MailAlert MailAlert // nil without mail
	Forwarder Forwarder
	Meter     Meter
	Clock     Clock
	IDs       IDs
	Random    io.Reader
}
