package authstore

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// OnUserDeleted is what else happens, in the same transaction, when people are
// deleted: the marketplace takes their books off the shelf.
type OnUserDeleted func(tx *gorm.DB, ids []user.ID, now time.Time) error

// Identity is the directory, the listings, the links and the steps of the
// identity core.
type Identity struct {
	db            *gormstore.DB
	hot           rawsql.Conn
	sealer        outboxstore.Sealer
	onUserDeleted OnUserDeleted
}

// New makes an Identity over a migrated database. Messages are sealed by sealer;
// departures may be nil where there is no marketplace.
func New(db *gormstore.DB, sealer outboxstore.Sealer, departures OnUserDeleted) *Identity {
	return &Identity{db: db, hot: rawsql.On(db.Read), sealer: sealer, onUserDeleted: departures}
}

// Atomically runs fn in one transaction, perhaps more than once.
func (i *Identity) Atomically(ctx context.Context, fn func(context.Context, auth.Stores) error) error {
	return i.WithAddressLock(ctx, nil, fn)
}

// WithAddressLock is Atomically after those about the same addresses have ended. It locks
// addresses in their order, so that two steps never wait for each other.
func (i *Identity) WithAddressLock(ctx context.Context, about []user.Email, fn func(context.Context, auth.Stores) error) error {
	about = slices.Sorted(slices.Values(about))
	return i.db.Atomically(ctx, func(tx *gorm.DB) error {
		ctx := tx.Statement.Context
		for _, address := range about {
			if err := rawsql.On(tx).Lock(ctx, "address "+string(address)); err != nil {
				return err
			}
		}
		return fn(ctx, auth.Stores{
			Users:         users{tx, i.onUserDeleted},
			Registrations: registrations{tx},
			Challenges:    challenges{tx},
			Invitations:   invitations{tx},
			SideEffects:   sideEffects{tx, i.sealer},
		})
	})
}

// forUpdate keeps the rows that a query finds as they are until the transaction ends.
var forUpdate = clause.Locking{Strength: clause.LockingStrengthUpdate}

// take loads one row; the error is missing where there is none.
func take[T any](ctx context.Context, query gorm.ChainInterface[T], missing error) (T, error) {
	row, err := query.Take(ctx)
	if errors.Is(err, gorm.ErrRecordNotFound) {
		err = missing
	}
	return row, err
}

// find is take for statements that are written by hand.
func find[T any](ctx context.Context, c rawsql.Conn, missing error, scan rawsql.Scanner[T], query string, args ...any) (T, error) {
	v, found, err := rawsql.One(ctx, c, scan, query, args...)
	if err == nil && !found {
		err = missing
	}
	return v, err
}

// values converts rows.
func values[Row, T any](rows []Row, value func(Row) T) []T {
	all := make([]T, len(rows))
	for i, r := range rows {
		all[i] = value(r)
	}
	return all
}
