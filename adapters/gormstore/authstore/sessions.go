package authstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
)

// Sessions keeps sessions in the database.
type Sessions struct {
	db     *gormstore.DB
	sealer outboxstore.Sealer

	find, of, standing *sql.Stmt
}

// NewSessions prepares Sessions over a migrated database.
func NewSessions(ctx context.Context, db *gormstore.DB, sealer outboxstore.Sealer) (*Sessions, error) {
	s := &Sessions{db: db, sealer: sealer}
	return s, errors.Join(
		prepare(ctx, db, &s.find, `SELECT `+sessionColumns+` FROM sessions WHERE id = ? AND user_id = ? AND ended_at IS NULL`),
		prepare(ctx, db, &s.of, `SELECT `+sessionColumns+` FROM sessions WHERE user_id = ? AND ended_at IS NULL`),
		prepare(ctx, db, &s.standing, selectStanding),
	)
}

// Close frees the prepared statements.
func (s *Sessions) Close() error {
	return errors.Join(s.find.Close(), s.of.Close(), s.standing.Close())
}

const sessionColumns = `id, user_id, epoch, secret, half, n, seen_n, rotated_at, created_at, last_seen, idle, until,
	ip, user_agent, browser, os, device`

func scanSession(row scanner) (session.Session, error) {
	var s session.Session
	var secret, half []byte
	var rotated, created, seen, idle, until int64
	err := row.Scan(&s.ID, &s.User, &s.Epoch, &secret, &half, &s.Lineage.N, &s.Lineage.SeenN, &rotated, &created, &seen, &idle, &until,
		&s.IP, &s.UserAgent, &s.Device.Browser, &s.Device.OS, &s.Device.Model)
	if err != nil {
		return s, err
	}
	if len(secret) != len(s.Lineage.Secret) || len(half) != len(s.Lineage.Half) {
		return s, fmt.Errorf("session %s has keys of %d and %d bytes", s.ID, len(secret), len(half))
	}
	s.Lineage.Secret, s.Lineage.Half, s.Lineage.RotatedAt = [32]byte(secret), [sha256.Size]byte(half), instant(rotated)
	s.CreatedAt, s.LastSeenAt, s.Until = instant(created), instant(seen), instant(until)
	s.Idle = time.Duration(idle) * time.Microsecond
	return s, nil
}

// atomically runs fn in one transaction.
func (s *Sessions) atomically(ctx context.Context, fn func(*transaction) error) error {
	return s.db.Atomically(ctx, func(tx *gorm.DB) error { return fn(&transaction{tx: tx, dialect: s.db.Dialect}) })
}

// Begin keeps a new session. The user's row is locked, so that sign-ins at the
// same time do not exceed keep together.
func (s *Sessions) Begin(ctx context.Context, begun session.Session, keep int, trace func(newDevice bool) auth.Trace) error {
	return s.atomically(ctx, func(t *transaction) error {
		if _, err := (users{transaction: t}).ByID(ctx, begun.User); err != nil {
			return err
		}
		if err := t.insertSession(begun); err != nil {
			return err
		}
		if _, err := t.exec(`UPDATE sessions SET ended_at = ? WHERE id IN (
			SELECT id FROM sessions WHERE user_id = ? AND ended_at IS NULL AND id <> ? ORDER BY last_seen DESC, id DESC LIMIT 1000000 OFFSET ?)`,
			begun.CreatedAt.UnixMicro(), int64(begun.User), int64(begun.ID), keep-1); err != nil {
			return err
		}
		fresh, err := t.noteDevice(begun)
		if err != nil {
			return err
		}
		return trail{t, s.sealer}.Leave(ctx, trace(fresh))
	})
}

// maxDevices bounds how many browsers and systems of one user are remembered.
const maxDevices = 100

// noteDevice remembers a browser and system, and reports whether it is new.
func (t *transaction) noteDevice(s session.Session) (bool, error) {
	added, err := t.exec(`INSERT INTO known_devices (user_id, device, first_seen) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`,
		int64(s.User), s.Device.Browser+" / "+s.Device.OS, s.CreatedAt.UnixMicro())
	if err != nil || added == 0 {
		return false, err
	}
	_, err = t.exec(`DELETE FROM known_devices WHERE user_id = ? AND device IN (
		SELECT device FROM known_devices WHERE user_id = ? ORDER BY first_seen DESC, device LIMIT 1000000 OFFSET ?)`,
		int64(s.User), int64(s.User), maxDevices)
	return true, err
}

func (t *transaction) insertSession(s session.Session) error {
	_, err := t.exec(`INSERT INTO sessions (`+sessionColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		int64(s.ID), int64(s.User), s.Epoch, s.Lineage.Secret[:], s.Lineage.Half[:], s.Lineage.N, s.Lineage.SeenN,
		s.Lineage.RotatedAt.UnixMicro(), s.CreatedAt.UnixMicro(), s.LastSeenAt.UnixMicro(), s.Idle.Microseconds(), s.Until.UnixMicro(),
		s.IP, s.UserAgent, s.Device.Browser, s.Device.OS, s.Device.Model)
	return err
}

// Find finds a session that was not ended.
func (s *Sessions) Find(ctx context.Context, of user.ID, id user.SessionID) (session.Session, error) {
	found, err := scanSession(s.find.QueryRowContext(ctx, int64(id), int64(of)))
	if errors.Is(err, sql.ErrNoRows) {
		return session.Session{}, session.ErrNotFound
	}
	if err != nil {
		return session.Session{}, gormstore.Explain(fmt.Errorf("find a session: %w", err))
	}
	return found, nil
}

// Of finds a user's sessions.
func (s *Sessions) Of(ctx context.Context, of user.ID) ([]session.Session, error) {
	rows, err := s.of.QueryContext(ctx, int64(of))
	if err != nil {
		return nil, gormstore.Explain(fmt.Errorf("find sessions: %w", err))
	}
	var all []session.Session
	err = each(rows, func(row scanner) error {
		one, err := scanSession(row)
		all = append(all, one)
		return err
	})
	return all, err
}

// Rotate loads the session locked, judges, and keeps the outcome.
func (s *Sessions) Rotate(ctx context.Context, p auth.Presented, theft func(session.Session) auth.Trace) (now session.Session, outcome session.Outcome, err error) {
	err = s.atomically(ctx, func(t *transaction) error {
		var ok bool
		var err error
		if now, ok, err = t.session(p.User, p.Session); err != nil || !ok {
			outcome = session.Dead
			return err
		}
		outcome = now.Judge(p.N, p.Epoch, p.At)
		switch outcome {
		case session.Rotated:
			now.Rotate(p.N, p.At)
			_, err = t.exec(`UPDATE sessions SET n = ?, seen_n = ?, rotated_at = ?, last_seen = ? WHERE id = ?`,
				now.Lineage.N, now.Lineage.SeenN, p.At.UnixMicro(), p.At.UnixMicro(), int64(now.ID))
		case session.Reused:
			if _, err = t.end(p.User, []user.SessionID{p.Session}, p.At); err == nil {
				err = trail{t, s.sealer}.Leave(ctx, theft(now))
			}
		}
		return err
	})
	return now, outcome, err
}

func (t *transaction) session(of user.ID, id user.SessionID) (found session.Session, ok bool, err error) {
	err = t.query(func(row scanner) (err error) {
		ok = true
		found, err = scanSession(row)
		return err
	}, `SELECT `+sessionColumns+` FROM sessions WHERE id = ? AND user_id = ? AND ended_at IS NULL`+t.locking(), int64(id), int64(of))
	return found, ok, err
}

func (t *transaction) end(of user.ID, ids []user.SessionID, now time.Time) (int64, error) {
	all := make([]int64, len(ids))
	for i, id := range ids {
		all[i] = int64(id)
	}
	return t.exec(`UPDATE sessions SET ended_at = ? WHERE user_id = ? AND id IN ? AND ended_at IS NULL`, now.UnixMicro(), int64(of), all)
}

// See notes a sighting; what is there already is not turned back.
func (s *Sessions) See(ctx context.Context, of user.ID, id user.SessionID, seen auth.Sighting) error {
	return s.atomically(ctx, func(t *transaction) error {
		at := seen.At.UnixMicro()
		_, err := t.exec(`UPDATE sessions SET
			seen_n = CASE WHEN seen_n < ? THEN ? ELSE seen_n END,
			ip = CASE WHEN last_seen < ? THEN ? ELSE ip END,
			last_seen = CASE WHEN last_seen < ? THEN ? ELSE last_seen END
			WHERE id = ? AND user_id = ? AND ended_at IS NULL`,
			seen.N, seen.N, at, seen.IP, at, at, int64(id), int64(of))
		return err
	})
}

// End ends some of a user's sessions.
func (s *Sessions) End(ctx context.Context, of user.ID, ids []user.SessionID, now time.Time, left auth.Trace) (int, error) {
	if len(ids) == 0 {
		return 0, nil
	}
	var ended int64
	err := s.atomically(ctx, func(t *transaction) (err error) {
		if ended, err = t.end(of, ids, now); err != nil || ended == 0 {
			return err
		}
		return trail{t, s.sealer}.Leave(ctx, left)
	})
	return int(ended), err
}

// Move takes a session from one epoch to another.
func (s *Sessions) Move(ctx context.Context, of user.ID, id user.SessionID, from, to int64) error {
	return s.atomically(ctx, func(t *transaction) error {
		n, err := t.exec(`UPDATE sessions SET epoch = ? WHERE id = ? AND user_id = ? AND epoch = ? AND ended_at IS NULL`,
			to, int64(id), int64(of), from)
		if err == nil && n == 0 {
			err = session.ErrNotFound
		}
		return err
	})
}
