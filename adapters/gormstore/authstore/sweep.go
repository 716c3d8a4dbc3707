package authstore

import (
	"context"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

// Sweep removes expired sign-ups, challenges, invitations and known sources, but
// those that somebody has in hand.
func (i *Identity) Sweep(ctx context.Context, now time.Time, n int) (int, error) {
	most := 0
	for _, statement := range []string{
		`DELETE FROM signups WHERE id IN (SELECT id FROM signups WHERE expires_at <= ? LIMIT ?`,
		`DELETE FROM challenges WHERE digest IN (SELECT digest FROM challenges WHERE expires_at <= ? LIMIT ?`,
		`DELETE FROM invitations WHERE id IN (SELECT id FROM invitations WHERE expires_at <= ? LIMIT ?`,
		`DELETE FROM known_sources WHERE (user_id, source) IN (SELECT user_id, source FROM known_sources WHERE expires_at <= ? LIMIT ?`,
	} {
		done, err := i.db.Exec(ctx, statement+notInHand(i.db.Dialect)+`)`, now.UnixMicro(), n)
		if err != nil {
			return most, fmt.Errorf("sweep: %w", err)
		}
		most = max(most, done)
	}
	return most, nil
}

// Sweep removes limits that have their whole burst back.
func (l *Limits) Sweep(ctx context.Context, now time.Time, n int) (int, error) {
	return l.db.Exec(ctx, `DELETE FROM limits WHERE name IN (SELECT name FROM limits WHERE tat <= ? LIMIT ?)`, now.UnixMicro(), n)
}

// ends are the ways a session can be over.
const ends = `(ended_at <= ? OR until <= ? OR last_seen + idle <= ?)`

// Sweep removes sessions that are over. They are looked for among all while
// others write, and removed by name.
func (s *Sessions) Sweep(ctx context.Context, now time.Time, n int) (int, error) {
	at := now.UnixMicro()
	var ids []user.SessionID
	rows, err := s.db.Read.WithContext(ctx).Raw(`SELECT id FROM sessions WHERE `+ends+` LIMIT ?`, at, at, at, n).Rows()
	if err != nil {
		return 0, fmt.Errorf("sweep sessions: %w", err)
	}
	err = each(rows, func(row scanner) error {
		var id user.SessionID
		err := row.Scan(&id)
		ids = append(ids, id)
		return err
	})
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return s.db.Exec(ctx, `DELETE FROM sessions WHERE id IN ? AND `+ends, ids, at, at, at)
}
