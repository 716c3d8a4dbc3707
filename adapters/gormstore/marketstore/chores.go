package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
)

// chores is market.ChoreStore.
type chores struct{ conn }

func (s chores) Add(ctx context.Context, c market.Chore) error {
	_, err := s.Exec(ctx, "INSERT INTO chores (id, kind, subject, key, after) VALUES (?, ?, ?, ?, ?)",
		c.ID, int(c.Kind), c.Subject, c.Key, c.After)
	return err
}

func (s chores) Take(ctx context.Context) (market.Chore, bool, error) {
	return rawsql.One(ctx, s.Conn, readChore, "DELETE FROM chores WHERE id = (SELECT id FROM chores ORDER BY id LIMIT 1"+s.SkipLocked()+
		") RETURNING id, kind, subject, key, after")
}

func readChore() ([]any, func() market.Chore) {
	var c market.Chore
	var kind int64
	return []any{&c.ID, &kind, &c.Subject, &c.Key, &c.After}, func() market.Chore {
		c.Kind = market.ChoreKind(kind)
		return c
	}
}
