package authstore

import (
	"context"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/external"
	"github.com/octavo-books/octavo/application/auth/factors"
	"github.com/octavo-books/octavo/application/auth/provider"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
)

// OnUserDeleted runs in the transaction that deletes users. The marketplace uses it to
// unlist their books.
type OnUserDeleted func(tx *gorm.DB, ids []user.ID, now time.Time) error

// OnUserWithdrawn runs in the transaction that suspends a user or plans the deletion of the
// account. The marketplace uses it to unlist the user's books and to cancel orders.
type OnUserWithdrawn func(tx *gorm.DB, w user.Withdrawal, now time.Time) error

// OnUserMoves runs in the transaction that changes the university of a locked user, before that.
// The marketplace refuses it while it decides about the user or something of theirs.
type OnUserMoves func(tx *gorm.DB, id user.ID) error

// OnUserRenamed runs in the transaction that changes the first name or the university of a user. The
// marketplace uses it to purge copies of pages that name the user.
type OnUserRenamed func(tx *gorm.DB, id user.ID)

// Identity implements authrooms.Storage.
type Identity struct {
	db              *gormstore.DB
	hot             rawsql.Conn
	sealer          outboxstore.Sealer
	onUserDeleted   OnUserDeleted
	onUserWithdrawn OnUserWithdrawn
	onUserRenamed   OnUserRenamed
	onUserMoves     OnUserMoves
}

// New returns an Identity over a migrated database. sealer encrypts the secrets in
// mails; hook is nil without a marketplace.
func New(db *gormstore.DB, sealer outboxstore.Sealer, hook OnUserDeleted) *Identity {
	return &Identity{db: db, hot: rawsql.On(db.Read), sealer: sealer, onUserDeleted: hook}
}

// OnUserWithdrawn returns an Identity that calls this hook as well.
func (i *Identity) OnUserWithdrawn(hook OnUserWithdrawn) *Identity {
	with := *i
	with.onUserWithdrawn = hook
	return &with
}

// OnUserMoves returns an Identity that calls this hook as well.
func (i *Identity) OnUserMoves(hook OnUserMoves) *Identity {
	with := *i
	with.onUserMoves = hook
	return &with
}

// OnUserRenamed returns an Identity that calls this hook as well.
func (i *Identity) OnUserRenamed(hook OnUserRenamed) *Identity {
	with := *i
	with.onUserRenamed = hook
	return &with
}

// Atomically implements auth.Storage.
func (i *Identity) Atomically(ctx context.Context, fn func(context.Context, auth.Stores) error) error {
	return i.WithAddressLock(ctx, nil, fn)
}

// WithAddressLock implements auth.Storage. It takes the locks in the order of the
// addresses, so that two transactions cannot deadlock.
func (i *Identity) WithAddressLock(ctx context.Context, addresses []user.Email, fn func(context.Context, auth.Stores) error) error {
	addresses = slices.Sorted(slices.Values(addresses))
	return i.db.Atomically(ctx, func(tx *gorm.DB) error {
		ctx := tx.Statement.Context
		for _, address := range addresses {
			if err := rawsql.On(tx).AdvisoryLock(ctx, "address "+string(address)); err != nil {
				return err
			}
		}
		in := &stores{
			users{tx, i.onUserDeleted, i.onUserWithdrawn, i.onUserRenamed, i.onUserMoves}, registrations{tx}, challenges{tx},
			invitations{tx}, ceremonies{tx}, identities{tx}, passkeys{tx}, secondFactors{tx}, emailChanges{tx}, clients{tx},
			personalTokens{tx}, machineStore{tx}, sideEffects{tx, i.sealer},
		}
		return fn(ctx, auth.Stores{Store: in, Handle: in})
	})
}

// stores are those of all rooms in one transaction.
type stores struct {
	users
	registrations
	challenges
	invitations
	ceremonies
	identities
	passkeys
	secondFactors
	emailChanges
	clients
	personalTokens
	machineStore
	sideEffects
}

// find is rawsql.Take for hand-written statements.
func find[T any](ctx context.Context, c rawsql.Conn, missing error, scan rawsql.Scanner[T], query string, args ...any) (T, error) {
	v, found, err := rawsql.One(ctx, c, scan, query, args...)
	if err == nil && !found {
		err = missing
	}
	return v, err
}

// AccountStore opens the room's store.
func (*Identity) AccountStore(in auth.Stores) account.Store { return in.Handle.(*stores) }

// FactorsStore opens the room's store.
func (*Identity) FactorsStore(in auth.Stores) factors.Store { return in.Handle.(*stores) }

// ExternalStore opens the room's store.
func (*Identity) ExternalStore(in auth.Stores) external.Store { return in.Handle.(*stores) }

// ProviderStore opens the room's store.
func (*Identity) ProviderStore(in auth.Stores) provider.Store { return in.Handle.(*stores) }
