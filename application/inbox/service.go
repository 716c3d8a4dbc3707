package inbox

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
)

// Service is the inbox at work. Make one with New and start it with Run.
type Service struct {
	*Desk

	ports     Ports
	config    Config
	log       *slog.Logger
	committer *committer
	mem       *memory
	pending   atomic.Int64 // about how many jobs are open

	mu       sync.Mutex // guards the change of rules
	current  atomic.Pointer[[]*lane]
	changed  atomic.Int64 // when the rules were changed last, in microseconds
	sharing  sync.Mutex
	shared   *[]*lane // those whose rules are in the store; guarded by sharing
	circuits map[string]*circuit
	running  sync.WaitGroup // of all lanes, also those that have ended
	launch   func(*lane)    // starts a lane; nil while the service does not run
	drain    func()         // ends claiming; nil while the service does not run
}

// New makes a service that forwards by rules, signing with secret where a rule
// has none of its own. It does nothing before Recover and Run. The errors are those of
// Config.Validate, ErrRule and webhook.ErrNoSecret.
func New(ports Ports, config Config, rules []Rule, secret string, log *slog.Logger) (*Service, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	s := &Service{
		ports: ports, config: config, log: log, circuits: map[string]*circuit{},
		committer: newCommitter(ports.Store, config, log),
		mem:       &memory{most: config.MaxWaitingBytes},
	}
	s.Desk = &Desk{archive: ports.Archive, clock: ports.Clock, ids: ports.IDs, wake: s.wake, rules: func(context.Context) ([]Rule, error) { return s.Rules(), nil }}
	s.current.Store(&[]*lane{})
	return s, s.SetRules(rules, secret)
}

// lanes are those of the current rules.
func (s *Service) lanes() []*lane { return *s.current.Load() }

// Rules are the current rules, complete and with their secrets.
func (s *Service) Rules() []Rule { return rulesOf(s.lanes()) }

func rulesOf(lanes []*lane) []Rule {
	var rules []Rule
	for _, l := range lanes {
		rules = append(rules, l.rule)
	}
	return rules
}

// ShareRules stores the current rules for programs beside the service, unless
// they are stored already. While the service runs it also does so by itself soon
// after a change.
func (s *Service) ShareRules(ctx context.Context) error {
	s.sharing.Lock()
	defer s.sharing.Unlock()
	current := s.current.Load()
	if s.shared == current {
		return nil
	}
	if err := s.ports.Rules.SaveRules(ctx, rulesOf(*current)); err != nil {
		return fmt.Errorf("store the forwarding rules: %w", err)
	}
	s.shared = current
	return nil
}

// wake makes a rule's lane look into the store.
func (s *Service) wake(key string) {
	for _, l := range s.lanes() {
		if l.rule.Key() == key {
			l.wake()
		}
	}
}

// SetRules replaces the rules, also while running: the lane of a rule that did
// not change goes on, one whose rule is gone or changed ends after the sends
// that it has begun. Open jobs of a rule that is gone become dead letters soon
// after, once nobody is sending them. After an error nothing has changed.
func (s *Service) SetRules(rules []Rule, secret string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := map[string]*lane{}
	for _, l := range s.lanes() {
		known[l.rule.Key()] = l
	}
	next, begun := make([]*lane, 0, len(rules)), []*lane(nil)
	seen := map[string]bool{}
	for _, rule := range rules {
		rule, err := withSecret(rule, secret).Complete()
		if err != nil {
			return err
		}
		if seen[rule.Key()] {
			return ruleError("match", "there are two rules %s", rule.Key())
		}
		seen[rule.Key()] = true
		l := known[rule.Key()]
		if l == nil || l.rule != rule {
			if l, err = s.newLane(rule); err != nil {
				return err
			}
			begun = append(begun, l)
		} else {
			delete(known, rule.Key())
		}
		next = append(next, l)
	}
	for i, l := range next {
		l.number.Store(int32(i + 1))
	}
	s.current.Store(&next)
	s.changed.Store(s.ports.Clock.Now().UnixMicro())
	for _, l := range begun {
		l.warnOfMatch()
	}
	s.exchange(begun, known)
	return nil
}

// exchange starts the lanes that have begun and stops those that have ended, if
// the service is running.
func (s *Service) exchange(begun []*lane, ended map[string]*lane) {
	if s.launch == nil {
		return
	}
	for _, l := range ended {
		l.stop()
	}
	for _, l := range begun {
		s.launch(l)
	}
}

func withSecret(rule Rule, secret string) Rule {
	if rule.Secret == "" {
		rule.Secret = secret
	}
	return rule
}

func (s *Service) newLane(rule Rule) (*lane, error) {
	key, err := webhook.NewKey(rule.Secret)
	if err != nil {
		return nil, err
	}
	order, err := parsePath(rule.OrderBy)
	if err != nil {
		return nil, err
	}
	if s.circuits[rule.URL] == nil {
		s.circuits[rule.URL] = &circuit{}
	}
	places := 2 * rule.Concurrency
	return &lane{
		rule: rule, order: order, key: key, circuit: s.circuits[rule.URL], ports: s.ports, mem: s.mem, log: s.log,
		report: s.report, places: make(chan struct{}, places), tasks: make(chan Task, places), wakeUp: make(chan struct{}, 1),
	}, nil
}

// report passes an outcome on to be stored.
func (s *Service) report(o Outcome) {
	if o.State != Open {
		s.pending.Add(-1)
	}
	s.committer.outcomes <- o
}

// Recover makes what an earlier run has left open due at once, and dead letters
// of what has no rule any more, and shares the rules. Call it once, before Run.
func (s *Service) Recover(ctx context.Context) error {
	if err := s.ports.Queue.Recover(ctx, s.ports.Clock.Now()); err != nil {
		return fmt.Errorf("recover the inbox: %w", err)
	}
	if err := s.ShareRules(ctx); err != nil {
		return err
	}
	return s.buryOrphans(ctx)
}

// Run stores and forwards until ctx ends. Then it takes no delivery any more,
// lets the sends that have begun go on for the grace, and stores their outcomes
// and what else was taken before it returns.
func (s *Service) Run(ctx context.Context) {
	claiming, endClaiming := context.WithCancel(ctx)
	defer endClaiming()
	sending, endSending := context.WithCancel(context.WithoutCancel(ctx))
	defer endSending()
	context.AfterFunc(claiming, func() {
		select {
		case <-time.After(s.config.Grace):
			endSending()
		case <-sending.Done():
		}
	})
	s.committer.start(s.config.Committers)
	s.startLanes(claiming, sending, endClaiming)
	s.keep(ctx) // until ctx ends
	s.committer.refuse()
	s.waitForLanes()
	s.committer.finish()
}

// Drain begins the end of Run: nothing is sent any more but what was begun, which goes
// on for the grace. Deliveries are taken and stored until Run's context ends.
func (s *Service) Drain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drain != nil {
		s.drain()
	}
}

func (s *Service) startLanes(claiming, sending context.Context, drain func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drain = drain
	s.launch = func(l *lane) { l.start(claiming, sending, s.config.ScanEvery, &s.running) }
	for _, l := range s.lanes() {
		s.launch(l)
	}
}

func (s *Service) waitForLanes() {
	s.mu.Lock()
	s.launch = nil // from here on no lane is started
	s.mu.Unlock()
	s.running.Wait()
}

// chance is a number from 0 up to 1.
func chance(random io.Reader) float64 {
	var b [8]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return 0.5
	}
	return float64(binary.BigEndian.Uint64(b[:])>>11) / (1 << 53)
}
