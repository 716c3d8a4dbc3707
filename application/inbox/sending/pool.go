// Package sending sends the jobs of an inbox: a pool of workers a rule, which spare a target that fails
// and keep to the rule's rate.
package sending

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/webhook"
)

// Pool sends the jobs of one rule. Each job in the pool occupies a slot from
// the moment it is reserved or claimed until its outcome is reported.
type Pool struct {
	*Shared
	Rule    inbox.Rule
	Target  string // of rule
	OrderBy inbox.JSONPath
	Where   inbox.Expression // nil if the rule has none
	signers signers
	circuit *circuit

	rate       *limiter        // nil if the rule has none
	rateTimer  *time.Timer     // of claimLater
	slots      chan struct{}   // one element per occupied slot
	tasks      chan inbox.Task // with the capacity of slots, so that submit never blocks
	wakeSignal chan struct{}
	ruleNumber atomic.Int32 // position among the rules, from 1
	failures   failureLog
	hasBacklog atomic.Bool // the store may hold more due jobs than the pool has slots
	paused     atomic.Bool // by the file of rules or an operator
	stopped    atomic.Bool
	stop       context.CancelFunc
}

// Shared is what the pools of a service have in common. It makes one pool at a time.
type Shared struct {
	Ports    inbox.Ports
	Buffered *Budget
	Report   func(o inbox.Outcome, onStored func()) // onStored is called after the commit; nil for none
	SenderOf func(source string) *webhook.Sender
	Attempts AttemptLog
	Log      *slog.Logger

	circuits map[string]*circuit // by target
	limiters map[string]*limiter // by rule
}

// NewPool makes the pool of a rule.
func (s *Shared) NewPool(rule inbox.Rule, paused bool) (*Pool, error) {
	signers, err := newSigners(rule.Secret)
	if err != nil {
		return nil, err
	}
	order, err := inbox.ParseJSONPath(rule.OrderBy)
	if err != nil {
		return nil, err
	}
	where, err := rule.CompileWhere(s.Ports.Compile)
	if err != nil {
		return nil, err
	}
	if s.circuits == nil {
		s.circuits, s.limiters = map[string]*circuit{}, map[string]*limiter{}
	}
	if s.circuits[rule.URL] == nil {
		s.circuits[rule.URL] = &circuit{}
	}
	slots := 2 * rule.Concurrency
	pool := &Pool{
		Shared: s, Rule: rule, Target: rule.Target(), OrderBy: order, Where: where, signers: signers, circuit: s.circuits[rule.URL],
		rate: s.limiterOf(rule), slots: make(chan struct{}, slots), tasks: make(chan inbox.Task, slots), wakeSignal: make(chan struct{}, 1),
	}
	pool.paused.Store(paused)
	return pool, nil
}

// IsPaused reports whether the file of rules or an operator has paused the rule.
func (p *Pool) IsPaused() bool { return p.paused.Load() }

// SetNumber sets the rule's position among the rules, from 1.
func (p *Pool) SetNumber(n int) { p.ruleNumber.Store(int32(n)) }

// End ends the workers after their running sends.
func (p *Pool) End() { p.stop() }

// Start starts the goroutines and adds them to running. Cancelling ctx stops
// claiming; cancelling sending aborts the running sends.
func (p *Pool) Start(ctx, sending context.Context, running *sync.WaitGroup) {
	ctx, p.stop = context.WithCancel(ctx)
	for range p.Rule.Concurrency {
		running.Go(func() { p.work(ctx, sending) })
	}
	running.Go(func() { p.claim(ctx) })
}

// MaxQueueTime is how long a job may wait for a worker before it is returned to
// the store.
const MaxQueueTime = 10 * time.Second

// LeaseTime covers the wait for a worker and one attempt.
func (p *Pool) LeaseTime() time.Duration { return MaxQueueTime + p.Rule.Timeout }

// SetPaused pauses or resumes the pool. After a pause the store holds older jobs, which
// go before new ones.
func (p *Pool) SetPaused(paused bool) {
	if p.paused.Load() == paused {
		return
	}
	p.hasBacklog.Store(true)
	p.paused.Store(paused)
	if paused {
		p.Log.Warn("a forwarding rule is paused", "rule", p.Label())
		return
	}
	p.Log.Info("a forwarding rule is resumed", "rule", p.Label())
	p.Wake()
}

// Signal tells whoever waits, if nobody has yet. It never blocks.
func Signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
