package authstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// selectStanding reads no more than it takes to let somebody in, which happens at
// every request. Whoever has a profile has a first name.
const selectStanding = `SELECT s.last_seen, s.idle, s.until, s.epoch, s.seen_n,
		CASE WHEN EXISTS (SELECT 1 FROM sessions o WHERE o.user_id = s.user_id AND o.ended_at IS NULL AND o.last_seen >= s.last_seen
			AND o.id <> s.id) THEN 1 ELSE 0 END, u.epoch, u.role, CASE WHEN u.verified = 1 AND u.first_name IS NOT NULL THEN 1 ELSE 0 END
	FROM sessions s CROSS JOIN users u
	WHERE s.id = ? AND s.user_id = ? AND s.ended_at IS NULL AND u.id = s.user_id AND u.deleted_at IS NULL`

// Standing tells how a session and its user stand.
func (s *Sessions) Standing(ctx context.Context, of user.ID, id user.SessionID) (auth.Standing, error) {
	var found auth.Standing
	var seen, idle, until, overtaken, role, student int64
	err := s.standing.QueryRowContext(ctx, int64(id), int64(of)).Scan(&seen, &idle, &until, &found.Life.Epoch, &found.SeenN,
		&overtaken, &found.Epoch, &role, &student)
	if errors.Is(err, sql.ErrNoRows) {
		return auth.Standing{}, session.ErrNotFound
	}
	if err != nil {
		return auth.Standing{}, gormstore.Explain(fmt.Errorf("find how a session stands: %w", err))
	}
	found.Life.LastSeenAt, found.Life.Until, found.Life.Idle = instant(seen), instant(until), time.Duration(idle)*time.Microsecond
	found.Overtaken, found.Role, found.Student = overtaken == 1, user.Role(role), student == 1
	return found, nil
}
