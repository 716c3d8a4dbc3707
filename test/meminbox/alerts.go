package meminbox

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
)

// alert is a stored alert.
type alert struct {
	inbox.Alert
	due time.Time
}

// ListTroubledRules returns the states that an alert may be due for.
func (i *Inbox) ListTroubledRules(ctx context.Context) ([]inbox.RuleState, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	var states []inbox.RuleState
	for _, rule := range slices.Sorted(maps.Keys(i.states)) {
		if s := i.states[rule]; !s.FailingSince.IsZero() || s.DiedAt.After(s.AlertedAt) || s.HasFailureAlert() {
			states = append(states, s)
		}
	}
	return states, ctx.Err()
}

// RaiseAlerts stores alerts.
func (i *Inbox) RaiseAlerts(ctx context.Context, rule string, told int, at time.Time, alerts []inbox.Alert) (bool, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	s, known := i.states[rule]
	if !known || s.AlertCount != told {
		return false, ctx.Err()
	}
	s.AlertCount, s.AlertedAt = told+1, at
	i.states[rule] = s
	for _, a := range alerts {
		a.Attempts = 0
		i.alerts = append(i.alerts, alert{a, at})
	}
	return true, ctx.Err()
}

// ClaimAlert leases the oldest alert of a channel.
func (i *Inbox) ClaimAlert(ctx context.Context, channel string, now, until time.Time) (inbox.Alert, bool, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	oldest := -1
	for n, a := range i.alerts {
		if a.Channel == channel && (oldest < 0 || a.ID < i.alerts[oldest].ID) {
			oldest = n
		}
	}
	if oldest < 0 || i.alerts[oldest].due.After(now) {
		return inbox.Alert{}, false, ctx.Err()
	}
	i.alerts[oldest].Attempts++
	i.alerts[oldest].due = until
	return i.alerts[oldest].Alert, true, ctx.Err()
}

// FinishAlert deletes an alert or makes it due again.
func (i *Inbox) FinishAlert(ctx context.Context, a inbox.Alert, retryAt time.Time) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	isOf := func(b alert) bool { return b.ID == a.ID && b.Attempts == a.Attempts }
	if retryAt.IsZero() {
		i.alerts = slices.DeleteFunc(i.alerts, isOf)
		return ctx.Err()
	}
	if n := slices.IndexFunc(i.alerts, isOf); n >= 0 {
		i.alerts[n].due = retryAt
	}
	return ctx.Err()
}

// FindDead returns the newest delivery with a dead job of the rule.
func (i *Inbox) FindDead(ctx context.Context, rule string) (inbox.Delivery, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	dead := i.selected(func(d inbox.Delivery) bool {
		return len(i.sortedJobs(func(j inbox.Job) bool { return j.Seq == d.Seq && j.Rule == rule && j.State == inbox.Dead })) > 0
	})
	if len(dead) == 0 {
		return inbox.Delivery{}, inbox.ErrNotFound
	}
	dead[0].Payload = nil
	return dead[0], ctx.Err()
}
