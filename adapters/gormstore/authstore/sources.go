package authstore

import (
	"context"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/user"
)

// selectKnown answers with one row whether or not there is an account.
const selectKnown = `SELECT count(*) FROM users u JOIN known_sources k ON k.user_id = u.id
	WHERE u.email = ? AND k.source = ? AND k.expires_at > ?`

// KnowsSource tells whether somebody has signed in from there.
func (i *Identity) KnowsSource(ctx context.Context, email user.Email, source string, now time.Time) (bool, error) {
	var n int
	if err := i.knows.QueryRowContext(ctx, string(email), source, now.UnixMicro()).Scan(&n); err != nil {
		return false, gormstore.Explain(fmt.Errorf("find a known source: %w", err))
	}
	return n > 0, nil
}

// addKnown keeps where somebody has signed in from, and forgets the oldest beyond
// auth.MaxKnownSources. The user's row is locked, for sign-ins at the same time and
// for an erasure; of somebody who is gone nothing is kept.
func (t *transaction) addKnown(k auth.KnownSource) error {
	_, err := t.exec(`INSERT INTO known_sources (user_id, source, expires_at)
		SELECT id, ?, ? FROM users WHERE id = ? AND deleted_at IS NULL`+t.locking()+`
		ON CONFLICT (user_id, source) DO UPDATE SET expires_at = excluded.expires_at`,
		k.Source, k.Until.UnixMicro(), int64(k.User))
	if err != nil {
		return err
	}
	_, err = t.exec(`DELETE FROM known_sources WHERE user_id = ? AND source IN (
		SELECT source FROM known_sources WHERE user_id = ? ORDER BY expires_at DESC, source LIMIT 1000000 OFFSET ?)`,
		int64(k.User), int64(k.User), auth.MaxKnownSources)
	return err
}
