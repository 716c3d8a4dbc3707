package serving

import (
	"context"
	"errors"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/inbox/sending"
)

const (
	// failingTime is how long a target fails until an alert is raised.
	failingTime = 10 * time.Minute
	// alertInterval is the minimum time between two alerts about dead deliveries of a rule.
	// It bounds the alerts about a target that refuses only some deliveries.
	alertInterval = 10 * time.Minute
	// alertMemory is the age up to which a dead delivery raises an alert, in case the service
	// was down or had no address for alerts before.
	alertMemory = 24 * time.Hour
)

// alertChannels are the channels that are configured.
func (s *Service) alertChannels() (channels []string) {
	if s.config.AlertURL != "" {
		channels = append(channels, inbox.AlertByURL)
	}
	if s.ports.MailAlert != nil {
		channels = append(channels, inbox.AlertByMail)
	}
	return channels
}

// raiseAlerts stores the alerts that are due and counts them in the same transaction, so that
// each is raised once, with any number of processes and restarts.
func (s *Service) raiseAlerts(ctx context.Context) {
	channels := s.alertChannels()
	if len(channels) == 0 {
		return
	}
	states, err := s.ports.Store.ListTroubledRules(ctx)
	if err != nil && ctx.Err() == nil {
		s.log.Error("looking for alerts failed", "error", err)
	}
	for _, state := range states {
		pool := s.ruleSet.Load().byKey[state.Rule]
		if pool == nil || pool.IsPaused() {
			continue
		}
		if err := s.raiseAlert(ctx, pool, state, channels); err != nil && ctx.Err() == nil {
			s.log.Error("storing an alert failed", "rule", pool.Label(), "error", err)
		}
	}
}

func (s *Service) raiseAlert(ctx context.Context, pool *sending.Pool, state inbox.RuleState, channels []string) error {
	now := s.ports.Clock.Now()
	kind, since := alertOf(state, now)
	if kind == "" {
		return nil
	}
	alert := inbox.Alert{Kind: kind, Rule: pool.Label(), Target: pool.Target, At: now, Since: since, Last: state.Last}
	if kind == inbox.RuleDead {
		s.nameDelivery(ctx, &alert, state.Rule)
	}
	alerts := make([]inbox.Alert, 0, len(channels))
	for _, channel := range channels {
		alert.ID, alert.Channel = s.ports.IDs.Next(), channel
		alerts = append(alerts, alert)
	}
	raised, err := s.ports.Store.RaiseAlerts(ctx, state.Rule, state.AlertCount, now, alerts)
	if raised {
		s.log.Warn("raised an alert about a rule", "rule", pool.Label(), "kind", string(kind))
		s.wakeAlerts()
	}
	return err
}

// nameDelivery names the delivery that was given up. Without it the alert is still worth sending.
func (s *Service) nameDelivery(ctx context.Context, a *inbox.Alert, rule string) {
	d, err := s.ports.Store.FindDead(ctx, rule)
	if err != nil {
		if !errors.Is(err, inbox.ErrNotFound) && ctx.Err() == nil {
			s.log.Error("looking for the delivery of an alert failed", "rule", a.Rule, "error", err)
		}
		return
	}
	a.Source, a.Event, a.Delivery = d.Source, string(d.Event), d.ID
	if d.Action != "" {
		a.Event += "." + d.Action
	}
}

// wakeAlerts makes sendAlerts look for alerts at once.
func (s *Service) wakeAlerts() {
	select {
	case s.alertSignal <- struct{}{}:
	default:
	}
}

const (
	alertTimeout  = 15 * time.Second // of one attempt to send an alert
	alertLease    = 2 * alertTimeout
	alertLifetime = 24 * time.Hour // after which an alert that cannot be sent is given up
	pollsPerAlert = 5
)

// sendAlerts sends the stored alerts until ctx ends. It has a goroutine of its own, so that
// no delivery waits for an alert.
func (s *Service) sendAlerts(ctx context.Context) {
	channels := s.alertChannels()
	if len(channels) == 0 {
		return
	}
	tick := time.NewTicker(pollsPerAlert * s.config.PollInterval)
	defer tick.Stop()
	for {
		for _, channel := range channels {
			for s.sendNextAlert(ctx, channel) {
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-s.alertSignal:
		}
	}
}

// sendNextAlert sends the oldest alert of a channel and reports whether to go on with the
// next one.
func (s *Service) sendNextAlert(ctx context.Context, channel string) (more bool) {
	now := s.ports.Clock.Now()
	a, found, err := s.ports.Store.ClaimAlert(ctx, channel, now, now.Add(alertLease))
	if err != nil && ctx.Err() == nil {
		s.log.Error("reading the alerts failed", "error", err)
	}
	if err != nil || !found {
		return false
	}
	attempt, cancel := context.WithTimeout(ctx, alertTimeout)
	defer cancel()
	sendErr := s.sendAlert(attempt, a)
	if ctx.Err() != nil { // aborted by the shutdown; it is sent again when its lease ends
		return false
	}
	retryAt := time.Time{}
	now = s.ports.Clock.Now()
	switch {
	case sendErr == nil:
	case now.Sub(a.At) >= alertLifetime:
		s.log.Error(
			"an alert was given up", "channel", channel, "rule", a.Rule, "kind", string(a.Kind), "attempts", a.Attempts, "error", sendErr,
		)
	default:
		retryAt = now.Add(sending.Backoff(a.Attempts, sending.Jitter(s.ports.Random), 0))
		s.log.Warn(
			"an alert could not be sent; will retry", "channel", channel, "rule", a.Rule, "due", retryAt.Format(time.RFC3339), "error",
			sendErr,
		)
	}
	if err := s.ports.Store.FinishAlert(ctx, a, retryAt); err != nil && ctx.Err() == nil {
		s.log.Error("storing the end of an alert failed", "error", err)
		return false
	}
	return retryAt.IsZero()
}

// alertOf returns the alert to raise now, "" for none, and since when its cause has lasted.
func alertOf(s inbox.RuleState, now time.Time) (kind inbox.AlertKind, since time.Time) {
	failing, dead := !s.FailingSince.IsZero(), s.DiedAt.After(s.AlertedAt)
	switch {
	case s.HasFailureAlert():
		if !failing && s.AnsweredAt.After(s.AlertedAt) && s.AnsweredAt.After(s.DiedAt) {
			return inbox.RuleRecovered, s.AnsweredAt
		}
	case failing && now.Sub(s.FailingSince) >= failingTime:
		return inbox.RuleFailing, s.FailingSince
	case dead && now.Sub(s.DiedAt) < alertMemory && now.Sub(s.AlertedAt) >= alertInterval:
		return inbox.RuleDead, s.DiedAt
	}
	return "", time.Time{}
}
