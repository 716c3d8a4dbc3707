package serving

import (
	"context"
	"fmt"
	"sync"
)

// pauses are the keys of the rules that operators have paused, including rules that this
// process does not have yet.
type pauses struct {
	changing sync.Mutex // held from reading or writing the store until the pools follow

	mu   sync.Mutex
	keys map[string]bool
}

func (p *pauses) has(key string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.keys[key]
}

func (p *pauses) set(keys []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = make(map[string]bool, len(keys))
	for _, key := range keys {
		p.keys[key] = true
	}
}

// PauseRule is Admin.PauseRule. This process pauses the rule at once.
func (s *Service) PauseRule(ctx context.Context, key string) error {
	return s.changePause(ctx, func() error { return s.Admin.PauseRule(ctx, key) })
}

// ResumeRule is Admin.ResumeRule. This process resumes the rule at once.
func (s *Service) ResumeRule(ctx context.Context, key string) error {
	return s.changePause(ctx, func() error { return s.Admin.ResumeRule(ctx, key) })
}

func (s *Service) changePause(ctx context.Context, change func() error) error {
	s.pauses.changing.Lock()
	defer s.pauses.changing.Unlock()
	if err := change(); err != nil {
		return err
	}
	return s.followPauses(ctx)
}

// loadPauses reads which rules operators have paused and follows.
func (s *Service) loadPauses(ctx context.Context) error {
	s.pauses.changing.Lock()
	defer s.pauses.changing.Unlock()
	return s.followPauses(ctx)
}

func (s *Service) followPauses(ctx context.Context) error {
	keys, err := s.ports.Store.PausedRules(ctx)
	if err != nil {
		return fmt.Errorf("read which rules are paused: %w", err)
	}
	s.mu.Lock() // so that SetRules makes no pool by the old keys
	defer s.mu.Unlock()
	s.pauses.set(keys)
	for _, pool := range s.pools() {
		pool.SetPaused(pool.Rule.Paused || s.pauses.has(pool.Rule.Key()))
	}
	return nil
}

// refreshPauses applies pauses that other processes, such as the command line, have stored.
func (s *Service) refreshPauses(ctx context.Context) {
	if err := s.loadPauses(ctx); err != nil && ctx.Err() == nil {
		s.log.Error("following the pauses of rules failed", "error", err)
	}
}

func (s *Service) countPaused() (n int) {
	for _, pool := range s.pools() {
		if pool.IsPaused() {
			n++
		}
	}
	return n
}
