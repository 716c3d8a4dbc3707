package serving

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/inbox/sending"
	"github.com/octavo-books/octavo/domain/webhook"
)

// Service accepts, stores and forwards deliveries. Make one with New and start it
// with Run.
type Service struct {
	*inbox.Admin

	ports     inbox.Ports
	config    Config
	log       *slog.Logger
	committer *committer
	buffered  *sending.Budget
	sending   *sending.Shared
	feed      *feedHub
	openJobs  atomic.Int64 // an estimate, corrected by refreshStats

	mu             sync.Mutex // serialises SetRules, Drain and the start and end of Run
	ruleSet        atomic.Pointer[ruleSet]
	rulesChangedAt atomic.Int64 // the last SetRules, in Unix microseconds
	publishMu      sync.Mutex
	published      *ruleSet // the stored one; guarded by publishMu
	pauses         pauses
	unprepared     bool // the last prepareStorage failed
	sources        atomic.Pointer[map[string]inbox.Source]
	versionTurns   versionTurns
	alertSigner    atomic.Pointer[webhook.StandardSigner]
	alertSignal    chan struct{}
	running        sync.WaitGroup      // all pools, also stopped ones
	startPool      func(*sending.Pool) // nil while the service does not run
	stopClaiming   func()              // nil while the service does not run
}

// New makes a service that forwards by rules. secret signs for rules that have no
// secret of their own. The service does nothing before Recover and Run. The errors
// are those of Config.Validate, ErrRule and webhook.ErrNoSecret.
func New(ports inbox.Ports, config Config, rules []inbox.Rule, secret string, log *slog.Logger) (*Service, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	s := &Service{
		ports: ports, config: config, log: log, alertSignal: make(chan struct{}, 1),
		committer: newCommitter(ports, config, log),
		buffered:  sending.NewBudget(config.MaxBufferedBytes),
		feed:      newFeedHub(), versionTurns: newVersionTurns(),
	}
	s.sending = &sending.Shared{Ports: ports, Buffered: s.buffered, Report: s.reportOutcome, SenderOf: s.senderOf, Log: log}
	s.Admin = inbox.NewAdminOf(ports, func(context.Context) ([]inbox.Rule, error) { return s.Rules(), nil }, s.wakePool)
	s.ruleSet.Store(newRuleSet(nil))
	return s, s.SetRules(rules, secret)
}

// pools returns the worker pools of the current rules.
func (s *Service) pools() []*sending.Pool { return s.ruleSet.Load().pools }

// Rules returns the current rules, complete and with their secrets.
func (s *Service) Rules() []inbox.Rule { return rulesOf(s.pools()) }

func rulesOf(pools []*sending.Pool) []inbox.Rule {
	var rules []inbox.Rule
	for _, pool := range pools {
		rules = append(rules, pool.Rule)
	}
	return rules
}

// PublishRules stores the current rules for other processes, unless they are stored
// already. A running service also publishes a change by itself at the next poll.
func (s *Service) PublishRules(ctx context.Context) error {
	s.publishMu.Lock()
	defer s.publishMu.Unlock()
	current := s.ruleSet.Load()
	if s.published == current {
		return nil
	}
	if err := s.ports.Store.SaveRules(ctx, rulesOf(current.pools)); err != nil {
		return fmt.Errorf("store the forwarding rules: %w", err)
	}
	s.published = current
	return nil
}

// wakePool makes a rule's workers poll the store.
func (s *Service) wakePool(key string) {
	if pool := s.ruleSet.Load().byKey[key]; pool != nil {
		pool.Wake()
	}
}

// SetRules replaces the rules, also while running: the workers of an unchanged rule
// continue, those of a removed or changed rule end after their running sends. Open
// jobs of a removed rule become dead letters soon after, once no worker is sending
// them. After an error the rules are unchanged.
func (s *Service) SetRules(rules []inbox.Rule, secret string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	alertSigner, err := sending.StandardSigner(secret)
	if err != nil && s.config.AlertURL != "" {
		return err
	}
	old := maps.Clone(s.ruleSet.Load().byKey)
	next, started := make([]*sending.Pool, 0, len(rules)), []*sending.Pool(nil)
	if err := inbox.CheckKeys(rules); err != nil {
		return err
	}
	for _, rule := range rules {
		rule, err := rule.Complete()
		if err != nil {
			return err
		}
		rule = withSecret(rule, secret)
		pool := old[rule.Key()]
		if pool == nil || !reflect.DeepEqual(pool.Rule, rule) {
			if pool, err = s.sending.NewPool(rule, rule.Paused || s.pauses.has(rule.Key())); err != nil {
				return err
			}
			started = append(started, pool)
		} else {
			delete(old, rule.Key())
		}
		next = append(next, pool)
	}
	for i, pool := range next {
		pool.SetNumber(i + 1)
	}
	s.ruleSet.Store(newRuleSet(next))
	s.alertSigner.Store(alertSigner)
	s.rulesChangedAt.Store(s.ports.Clock.Now().UnixMicro())
	for _, pool := range started {
		pool.WarnIfUnknownEvent()
	}
	s.replacePools(started, old)
	return nil
}

// replacePools starts the pools of new rules and stops those of removed ones, if the
// service is running.
func (s *Service) replacePools(started []*sending.Pool, stopped map[string]*sending.Pool) {
	if s.startPool == nil {
		return
	}
	for _, pool := range stopped {
		pool.End()
	}
	for _, pool := range started {
		s.startPool(pool)
	}
}

func withSecret(rule inbox.Rule, secret string) inbox.Rule {
	if rule.Secret == "" {
		rule.Secret = secret
	}
	return rule
}

// reportOutcome queues an outcome to be stored.
func (s *Service) reportOutcome(o inbox.Outcome, onStored func()) {
	if o.State != inbox.Open {
		s.openJobs.Add(-1)
	}
	s.committer.outcomes <- reported{o, onStored}
}

// Recover makes the jobs that an earlier run left open due at once, publishes the
// rules, dead-letters the jobs that no longer have one and counts the open ones. Call it
// once, before Run and the first delivery.
func (s *Service) Recover(ctx context.Context) error {
	if err := s.ports.Store.RequeueJobs(ctx, s.ports.Clock.Now()); err != nil {
		return fmt.Errorf("recover the inbox: %w", err)
	}
	if err := s.PublishRules(ctx); err != nil {
		return err
	}
	if err := s.loadPauses(ctx); err != nil {
		return err
	}
	s.prepareStorage(ctx)
	if err := s.deadLetterOrphans(ctx); err != nil {
		return err
	}
	s.refreshStats(ctx) // before deliveries add to the count
	return nil
}

// Run stores and forwards until ctx ends. Then it refuses new deliveries, gives the
// running sends the grace period, stores their outcomes and all queued deliveries,
// and returns.
func (s *Service) Run(ctx context.Context) {
	claiming, endClaiming := context.WithCancel(ctx)
	defer endClaiming()
	sending, endSending := context.WithCancel(context.WithoutCancel(ctx))
	defer endSending()
	context.AfterFunc(claiming, func() {
		select {
		case <-time.After(s.config.GracePeriod):
			endSending()
		case <-sending.Done():
		}
	})
	s.committer.start(s.config.Committers)
	s.startPools(claiming, sending, endClaiming)
	s.running.Go(func() { s.watchFeed(ctx) })
	s.running.Go(func() { s.watchPauses(ctx) })
	s.running.Go(func() { s.watchLeases(ctx) })
	s.running.Go(func() { s.sendAlerts(ctx) })
	s.running.Go(func() { s.pruneRegularly(ctx) })
	s.maintain(ctx) // until ctx ends
	s.committer.close()
	s.waitForPools()
	s.committer.drain()
	s.storeAttemptsAtTheEnd()
}

// Drain begins the shutdown: no new send begins, and the running ones get the grace
// period. Deliveries are accepted and stored until Run's context ends.
func (s *Service) Drain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopClaiming != nil {
		s.stopClaiming()
	}
}

func (s *Service) startPools(claiming, sends context.Context, drain func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopClaiming = drain
	s.startPool = func(pool *sending.Pool) { pool.Start(claiming, sends, &s.running) }
	for _, pool := range s.pools() {
		s.startPool(pool)
	}
	s.running.Go(func() { s.watchJobs(claiming) })
}

func (s *Service) waitForPools() {
	s.mu.Lock()
	s.startPool = nil // so that SetRules starts no pool from here on
	s.mu.Unlock()
	s.running.Wait()
}
