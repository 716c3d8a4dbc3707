package authstore

import (
	"context"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// lifetimeRow is a session that was not revoked, with the epoch of its user.
type lifetimeRow struct {
	ID, UserID                              int64
	LastUsedAt, IdleTimeout, AbsoluteExpiry int64
	Epoch, UserEpoch                        int64
}

func (r *lifetimeRow) lifetime() auth.SessionLifetime {
	return auth.SessionLifetime{UserEpoch: r.UserEpoch, Lifetime: session.Lifetime{
		LastUsedAt: rawsql.Time(r.LastUsedAt), AbsoluteExpiry: rawsql.Time(r.AbsoluteExpiry),
		IdleTimeout: time.Duration(r.IdleTimeout) * time.Microsecond, Epoch: r.Epoch,
	}}
}

// FindSessionLifetimes implements auth.SessionStore.
func (s *Sessions) FindSessionLifetimes(ctx context.Context, all []auth.SessionRef) (map[user.SessionID]auth.SessionLifetime, error) {
	found := make(map[user.SessionID]auth.SessionLifetime, len(all))
	owners := make(map[user.SessionID]user.ID, len(all))
	for chunk := range slices.Chunk(all, 1000) {
		ids := make([]user.SessionID, len(chunk))
		for i, ref := range chunk {
			ids[i], owners[ref.Session] = ref.Session, ref.User
		}
		rows, err := table.Of[lifetimeRow](s.db.Read).Raw(`SELECT s.id, s.user_id, s.last_used_at, s.idle_timeout, s.absolute_expiry, s.epoch, u.epoch AS user_epoch
			FROM sessions s JOIN users u ON u.id = s.user_id
			WHERE s.id IN ? AND s.ended_at IS NULL AND u.deleted_at IS NULL`, rawsql.Padded(ids)).Find(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			if id := user.SessionID(r.ID); owners[id] == user.ID(r.UserID) {
				found[id] = r.lifetime()
			}
		}
	}
	return found, nil
}
