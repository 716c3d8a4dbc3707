package authstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
)

// Every client refreshes several times an hour. Rows are scanned by hand for the reason
// given in hot_state.go; through GORM a revocation took a tenth more processor time.
const (
	selectSession = `SELECT id, user_id, epoch, server_secret, client_secret_hash, newest, newest_seen, rotated_at, created_at,
			last_used_at, idle_timeout, absolute_expiry,
			ip, user_agent, browser, os, model, proved_at, factors, client, scopes, first_party, elsewhere, methods, signed_in_at, acr, parent
		FROM sessions WHERE id = ? AND user_id = ? AND ended_at IS NULL`
	rotateSession = `UPDATE sessions SET newest = ?, newest_seen = ?, rotated_at = ?, last_used_at = ? WHERE id = ?`
)

func scanSession() ([]any, func() session.Session) {
	var r sessionRow
	return []any{
		&r.ID, &r.UserID, &r.Epoch, &r.ServerSecret, &r.ClientSecretHash, &r.Newest, &r.NewestSeen, &r.RotatedAt, &r.CreatedAt,
		&r.LastUsedAt, &r.IdleTimeout, &r.AbsoluteExpiry,
		&r.IP, &r.UserAgent, &r.Browser, &r.OS, &r.Model, &r.ProvedAt, &r.Factors, &r.Client, &r.Scopes, &r.FirstParty, &r.Elsewhere,
		&r.Methods, &r.SignedInAt, &r.Context, &r.Parent,
	}, r.session
}

// FindSession implements auth.SessionStore.
func (s *Sessions) FindSession(ctx context.Context, of user.ID, id user.SessionID) (session.Session, error) {
	return find(ctx, s.hot, session.ErrNotFound, scanSession, selectSession, int64(id), int64(of))
}

// RotateToken implements auth.SessionStore. It locks the session's row from reading to
// writing.
func (s *Sessions) RotateToken(
	ctx context.Context, p auth.PresentedToken, effects func(session.Session) auth.SideEffects,
) (now session.Session, outcome session.Outcome, err error) {
	err = s.db.Atomically(ctx, func(tx *gorm.DB) error {
		ctx, c := tx.Statement.Context, rawsql.On(tx)
		var found bool
		var err error
		now, found, err = rawsql.One(ctx, c, scanSession, selectSession+c.Locking(rawsql.ForUpdate), int64(p.Session), int64(p.User))
		if err != nil || !found {
			outcome = session.Inactive
			return err
		}
		outcome = now.Classify(p.Number, p.UserEpoch, p.At)
		switch outcome {
		case session.Rotated:
			now.Rotate(p.Number, p.At)
			at := rawsql.Micros(p.At)
			_, err = c.Exec(ctx, rotateSession, now.Family.Newest, now.Family.NewestSeen, at, at, int64(now.ID))
		case session.ReuseDetected:
			if _, err = revoke(ctx, c, p.User, []user.SessionID{p.Session}, p.At); err == nil {
				err = sideEffects{tx, s.sealer}.RecordSideEffects(ctx, effects(now))
			}
		}
		return err
	})
	return now, outcome, err
}

// ProveSession implements auth.SessionStore.
func (s *Sessions) ProveSession(ctx context.Context, of user.ID, id user.SessionID, m session.Methods, at time.Time) error {
	return s.db.Atomically(ctx, func(tx *gorm.DB) error {
		ctx, c := tx.Statement.Context, rawsql.On(tx)
		own, err := find(ctx, c, session.ErrNotFound, scanSession, selectSession+c.Locking(rawsql.ForUpdate), int64(id), int64(of))
		if err != nil {
			return err
		}
		own.Prove(m, at)
		_, err = c.Exec(ctx, `UPDATE sessions SET proved_at = ?, methods = ?, signed_in_at = ?, factors = ? WHERE id = ?`,
			rawsql.Micros(own.ProvedAt), string(own.Methods), rawsql.Micros(own.SignedInAt), own.Factors, int64(id))
		return err
	})
}

// revoke revokes some of a user's sessions. ids must not be empty.
func revoke(ctx context.Context, c rawsql.Conn, of user.ID, ids []user.SessionID, now time.Time) (int64, error) {
	marks, all := rawsql.In(ids)
	return c.Exec(ctx, `UPDATE sessions SET ended_at = ? WHERE user_id = ? AND ended_at IS NULL AND id IN (`+marks+`)`,
		append([]any{rawsql.Micros(now), int64(of)}, all...)...)
}
