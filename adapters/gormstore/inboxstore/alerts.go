package inboxstore

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/inbox"
)

// ListTroubledRules returns the states that an alert may be due for.
func (i *Inbox) ListTroubledRules(ctx context.Context) ([]inbox.RuleState, error) {
	return rawsql.Collect(ctx, i.read, scanRuleState, `SELECT rule, paused_at, tried_at, status, error, circuit_open,
		answered_at, failing_since, died_at, told, told_at, 0, 0, 0, 0, 0 FROM inbox_rule_states
		WHERE failing_since > 0 OR died_at > told_at OR told % 2 = 1 ORDER BY rule`)
}

// FindDead walks the index of dead jobs from its newest delivery.
func (i *Inbox) FindDead(ctx context.Context, rule string) (inbox.Delivery, error) {
	page, err := i.readDeliveries(ctx, `seq = (SELECT seq FROM inbox_jobs WHERE state = 2 AND rule = ? ORDER BY seq DESC LIMIT 1)`, rule)
	if err == nil && len(page) == 0 {
		err = inbox.ErrNotFound
	}
	if err != nil {
		return inbox.Delivery{}, err
	}
	return page[0], nil
}

// RaiseAlerts stores alerts. The guarded update decides between processes.
func (i *Inbox) RaiseAlerts(ctx context.Context, rule string, count int, at time.Time, alerts []inbox.Alert) (raised bool, err error) {
	err = i.atomically(ctx, func(ctx context.Context, c rawsql.Conn) error {
		changed, err := c.Exec(ctx, `UPDATE inbox_rule_states SET told = told + 1, told_at = ? WHERE rule = ? AND told = ?`, rawsql.Micros(at), rule, count)
		if raised = changed == 1; err != nil || !raised {
			return err
		}
		for _, a := range alerts {
			text, err := json.Marshal(a)
			if err != nil {
				return err
			}
			if _, err := c.Exec(ctx, `INSERT INTO inbox_alerts (id, channel, due_at, attempts, alert) VALUES (?, ?, ?, 0, ?)`,
				a.ID, a.Channel, rawsql.Micros(at), string(text)); err != nil {
				return err
			}
		}
		return nil
	})
	return raised && err == nil, err
}

// ClaimAlert leases the oldest alert of a channel by making it due later. It reads first,
// so that polls that find nothing do not occupy the writer.
func (i *Inbox) ClaimAlert(ctx context.Context, channel string, now, until time.Time) (a inbox.Alert, found bool, err error) {
	id, found, err := rawsql.One(ctx, i.read, rawsql.Integer[int64], `SELECT id FROM inbox_alerts
		WHERE id = (SELECT min(id) FROM inbox_alerts WHERE channel = ?) AND due_at <= ?`, channel, rawsql.Micros(now))
	if err != nil || !found {
		return a, false, err
	}
	var text string
	err = i.atomically(ctx, func(ctx context.Context, c rawsql.Conn) error {
		row, claimed, err := rawsql.One(ctx, c, scanAlert, `UPDATE inbox_alerts SET attempts = attempts + 1, due_at = ?
			WHERE id = ? AND due_at <= ? RETURNING attempts, alert`, rawsql.Micros(until), id, rawsql.Micros(now))
		found, text, a.Attempts = claimed, row.text, row.attempts
		return err
	})
	if err != nil || !found {
		return a, false, err
	}
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return a, false, fmt.Errorf("read alert %d: %w", id, err)
	}
	a.ID, a.Channel = id, channel
	return a, true, nil
}

type alertRow struct {
	attempts int
	text     string
}

func scanAlert() ([]any, func() alertRow) {
	var row alertRow
	return []any{&row.attempts, &row.text}, func() alertRow { return row }
}

// FinishAlert ends an attempt. The number of attempts fences it.
func (i *Inbox) FinishAlert(ctx context.Context, a inbox.Alert, retryAt time.Time) error {
	statement, args := `DELETE FROM inbox_alerts WHERE id = ? AND attempts = ?`, []any{a.ID, a.Attempts}
	if !retryAt.IsZero() {
		statement, args = `UPDATE inbox_alerts SET due_at = ? WHERE id = ? AND attempts = ?`, []any{rawsql.Micros(retryAt), a.ID, a.Attempts}
	}
	_, err := i.update(ctx, statement, args...)
	return err
}
