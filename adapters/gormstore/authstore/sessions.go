package authstore

import (
	"context"
	"database/sql"
	"math"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
)

// sessionRow is a session.
type sessionRow struct {
	ID                 int64 `gorm:"primaryKey;autoIncrement:false"`
	UserID             int64
	Epoch              int64
	ServerSecret       digest
	ClientSecretHash   digest
	Newest, NewestSeen int64
	RotatedAt          int64
	CreatedAt          int64 `gorm:"autoCreateTime:false"`
	LastUsedAt         int64
	IdleTimeout        int64 // microseconds
	AbsoluteExpiry     int64
	EndedAt            sql.NullInt64 // null unless it was revoked
	IP                 string
	UserAgent          string
	Browser            string
	OS                 string
	Model              string

	ProvedAt       int64
	Factors        int64
	Client, Scopes string
	FirstParty     int64
	Elsewhere      int64
	Methods        string
	SignedInAt     int64
	Context        string `gorm:"column:acr"`
	Parent         int64
}

func toSessionRow(s session.Session) sessionRow {
	return sessionRow{
		ID: int64(s.ID), UserID: int64(s.User), Epoch: s.Epoch,
		ServerSecret: s.Family.ServerSecret, ClientSecretHash: s.Family.ClientSecretHash,
		Newest: s.Family.Newest, NewestSeen: s.Family.NewestSeen,
		RotatedAt: rawsql.Micros(s.Family.RotatedAt), CreatedAt: rawsql.Micros(s.CreatedAt),
		LastUsedAt: rawsql.Micros(s.LastUsedAt), IdleTimeout: s.IdleTimeout.Microseconds(), AbsoluteExpiry: rawsql.Micros(s.AbsoluteExpiry),
		IP: s.IP, UserAgent: s.UserAgent, Browser: s.Device.Browser, OS: s.Device.OS, Model: s.Device.Model,
		ProvedAt: rawsql.Micros(s.ProvedAt), Factors: int64(s.Factors), Client: s.Client, Scopes: s.Scopes,
		FirstParty: int64(rawsql.Flag(s.FirstParty)),
		Elsewhere:  int64(rawsql.Flag(s.Elsewhere)), Methods: string(s.Methods), SignedInAt: rawsql.Micros(s.SignedInAt),
		Context: s.Context, Parent: int64(s.Parent),
	}
}

func (r *sessionRow) session() session.Session {
	return session.Session{
		ID: user.SessionID(r.ID), User: user.ID(r.UserID), CreatedAt: rawsql.Time(r.CreatedAt), IP: r.IP, UserAgent: r.UserAgent,
		Lifetime: session.Lifetime{
			LastUsedAt: rawsql.Time(r.LastUsedAt), IdleTimeout: time.Duration(r.IdleTimeout) * time.Microsecond,
			AbsoluteExpiry: rawsql.Time(r.AbsoluteExpiry), Epoch: r.Epoch,
		},
		Device: session.Device{Browser: r.Browser, OS: r.OS, Model: r.Model},
		Family: session.TokenFamily{
			ServerSecret: r.ServerSecret, ClientSecretHash: r.ClientSecretHash,
			Newest: r.Newest, NewestSeen: r.NewestSeen, RotatedAt: rawsql.Time(r.RotatedAt),
		},
		ProvedAt: rawsql.Time(r.ProvedAt), Factors: int(r.Factors), Client: r.Client, Scopes: r.Scopes,
		FirstParty: r.FirstParty == 1, Elsewhere: r.Elsewhere == 1,
		SignIn: session.SignIn{Methods: session.Methods(r.Methods), SignedInAt: rawsql.Time(r.SignedInAt), Context: r.Context},
		Parent: user.SessionID(r.Parent),
	}
}

// Sessions implements the ports for sessions in the database.
type Sessions struct {
	db     *gormstore.DB
	hot    rawsql.Conn
	sealer outboxstore.Sealer
}

// NewSessions returns Sessions over a migrated database.
func NewSessions(db *gormstore.DB, sealer outboxstore.Sealer) *Sessions {
	return &Sessions{db: db, hot: rawsql.On(db.Read), sealer: sealer}
}

// evictSessions revokes all but the most recently used sessions of a user and a client. The
// limit is more than any user has: SQLite has no OFFSET without one.
const evictSessions = `UPDATE sessions SET ended_at = ? WHERE id IN (
	SELECT id FROM sessions WHERE user_id = ? AND ended_at IS NULL AND client = ? AND id <> ? ORDER BY last_used_at DESC, id DESC LIMIT ? OFFSET ?)
	RETURNING id`

// AddSession implements auth.SessionStore. It locks the user's row, so that concurrent
// sign-ins cannot exceed the limit together.
func (s *Sessions) AddSession(ctx context.Context, added session.Session, limit int, effects auth.SessionEffects) error {
	return s.db.Atomically(ctx, func(tx *gorm.DB) error {
		ctx := tx.Statement.Context
		if _, err := (users{tx: tx}).LockUser(ctx, added.User); err != nil {
			return err
		}
		row := toSessionRow(added)
		if err := table.Of[sessionRow](tx).Create(ctx, &row); err != nil {
			return err
		}
		evicted, err := rawsql.Collect(ctx, rawsql.On(tx), rawsql.Integer[user.SessionID], evictSessions,
			row.CreatedAt, row.UserID, row.Client, row.ID, math.MaxInt32, limit-1)
		if err != nil {
			return err
		}
		recorder := sideEffects{tx, s.sealer}
		if len(evicted) > 0 {
			slices.Sort(evicted)
			if err := recorder.RecordSideEffects(ctx, effects.Evicted(evicted)); err != nil {
				return err
			}
		}
		known, err := rememberDevice(ctx, tx, added)
		if err != nil {
			return err
		}
		return recorder.RecordSideEffects(ctx, effects.Added(known))
	})
}

// ListSessions implements auth.SessionStore.
func (s *Sessions) ListSessions(ctx context.Context, of user.ID) ([]session.Session, error) {
	rows, err := table.Of[sessionRow](s.db.Read).Where("user_id = ? AND ended_at IS NULL", int64(of)).Find(ctx)
	return rawsql.Convert(rows, (*sessionRow).session), err
}

// TouchSession implements auth.SessionStore. Requests may finish out of order, so it
// never replaces a newer use by an older one.
func (s *Sessions) TouchSession(ctx context.Context, of user.ID, id user.SessionID, use auth.SessionUse) error {
	at := rawsql.Micros(use.At)
	_, err := s.db.ChangeRows(ctx, func(ctx context.Context, tx *gorm.DB) (int, error) {
		return table.Of[sessionRow](tx).Where("id = ? AND user_id = ? AND ended_at IS NULL", int64(id), int64(of)).
			Assign(ctx, map[string]any{
				"newest_seen":  gorm.Expr("CASE WHEN newest_seen < ? THEN ? ELSE newest_seen END", use.TokenNumber, use.TokenNumber),
				"ip":           gorm.Expr("CASE WHEN last_used_at < ? THEN ? ELSE ip END", at, use.IP),
				"last_used_at": gorm.Expr("CASE WHEN last_used_at < ? THEN ? ELSE last_used_at END", at, at),
			})
	})
	return err
}

// RevokeSessions implements auth.SessionStore.
func (s *Sessions) RevokeSessions(
	ctx context.Context, of user.ID, ids []user.SessionID, now time.Time, effects auth.SideEffects,
) (int, error) {
	if len(ids) == 0 {
		return 0, nil
	}
	var revoked int64
	err := s.db.Atomically(ctx, func(tx *gorm.DB) (err error) {
		ctx := tx.Statement.Context
		if revoked, err = revoke(ctx, rawsql.On(tx), of, ids, now); err != nil || revoked == 0 {
			return err
		}
		return sideEffects{tx, s.sealer}.RecordSideEffects(ctx, effects)
	})
	return int(revoked), err
}

// AdoptSessions implements auth.SessionStore.
func (s *Sessions) AdoptSessions(ctx context.Context, of user.ID, from, to user.SessionID) error {
	_, err := s.db.ChangeRows(ctx, func(ctx context.Context, tx *gorm.DB) (int, error) {
		return table.Of[sessionRow](tx).Where("user_id = ? AND parent = ? AND ended_at IS NULL", int64(of), int64(from)).
			Update(ctx, "parent", int64(to))
	})
	return err
}

// RebindSession implements auth.SessionStore.
func (s *Sessions) RebindSession(ctx context.Context, of user.ID, id user.SessionID, from, to int64) error {
	return s.update(ctx, "epoch", to, "id = ? AND user_id = ? AND epoch = ? AND ended_at IS NULL", int64(id), int64(of), from)
}

// update sets a column of the session that meets a condition; session.ErrNotFound if none
// does.
func (s *Sessions) update(ctx context.Context, column string, value int64, condition string, args ...any) error {
	n, err := s.db.ChangeRows(ctx, func(ctx context.Context, tx *gorm.DB) (int, error) {
		return table.Of[sessionRow](tx).Where(condition, args...).Update(ctx, column, value)
	})
	if err == nil && n == 0 {
		err = session.ErrNotFound
	}
	return err
}

// CountActive counts the sessions that are neither revoked nor expired. It reads the
// whole table.
func (s *Sessions) CountActive(ctx context.Context, now time.Time) (int, error) {
	at := rawsql.Micros(now)
	return table.Of[sessionRow](s.db.Read).Where("ended_at IS NULL AND absolute_expiry > ? AND last_used_at + idle_timeout > ?", at, at).Count(ctx)
}
