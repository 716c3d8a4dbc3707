package authstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
)

// Departures is what else happens, in the same transaction, when people are
// deleted: the marketplace takes their books off the shelf.
type Departures func(tx *gorm.DB, ids []user.ID, now time.Time) error

// Identity is the directory, the listings, the links and the steps of the
// identity core.
type Identity struct {
	db     *gormstore.DB
	sealer outboxstore.Sealer
	leave  Departures

	byID, byEmail, byDigest, bySignUp, knows *sql.Stmt
}

// New prepares an Identity over a migrated database. Messages are sealed by
// sealer; departures may be nil where there is no marketplace.
func New(ctx context.Context, db *gormstore.DB, sealer outboxstore.Sealer, departures Departures) (*Identity, error) {
	i := &Identity{db: db, sealer: sealer, leave: departures}
	err := errors.Join(
		prepare(ctx, db, &i.byID, `SELECT `+userColumns+` FROM users WHERE id = ? AND deleted_at IS NULL`),
		prepare(ctx, db, &i.byEmail, `SELECT `+userColumns+` FROM users WHERE email = ?`),
		prepare(ctx, db, &i.byDigest, `SELECT `+challengeColumns+` FROM challenges WHERE digest = ?`),
		prepare(ctx, db, &i.bySignUp, `SELECT `+registrationColumns+` FROM signups WHERE id = ? AND expires_at > ?`),
		prepare(ctx, db, &i.knows, selectKnown),
	)
	return i, err
}

// prepare makes a statement for reading.
func prepare(ctx context.Context, db *gormstore.DB, to **sql.Stmt, query string) error {
	_, read := db.SQL()
	err := gormstore.Retry(ctx, func() (err error) {
		*to, err = read.PrepareContext(ctx, numbered(db.Dialect, query)) //nolint:sqlclosecheck // the owner's Close does
		return err
	})
	if err != nil {
		return fmt.Errorf("prepare a statement: %w", err)
	}
	return nil
}

// Close frees the prepared statements.
func (i *Identity) Close() error {
	return errors.Join(i.byID.Close(), i.byEmail.Close(), i.byDigest.Close(), i.bySignUp.Close(), i.knows.Close())
}

// ByID finds an account.
func (i *Identity) ByID(ctx context.Context, id user.ID) (user.User, error) {
	return oneUser(i.byID.QueryRowContext(ctx, int64(id)))
}

// ByEmail finds an account.
func (i *Identity) ByEmail(ctx context.Context, email user.Email) (user.User, error) {
	return oneUser(i.byEmail.QueryRowContext(ctx, string(email)))
}

func oneUser(row scanner) (user.User, error) {
	u, err := scanUser(row)
	if errors.Is(err, sql.ErrNoRows) {
		return user.User{}, user.ErrNotFound
	}
	if err != nil {
		return user.User{}, gormstore.Explain(fmt.Errorf("find a user: %w", err))
	}
	return u, nil
}

// Atomically runs fn in one transaction, perhaps more than once.
func (i *Identity) Atomically(ctx context.Context, fn func(context.Context, auth.Stores) error) error {
	return i.InTurn(ctx, nil, fn)
}

// InTurn does so when those about the same addresses have ended. They take their
// turns in the order of addresses, so that nobody waits for somebody who waits for
// them.
func (i *Identity) InTurn(ctx context.Context, about []user.Email, fn func(context.Context, auth.Stores) error) error {
	about = slices.Sorted(slices.Values(about))
	return i.db.Atomically(ctx, func(tx *gorm.DB) error {
		t := &transaction{tx: tx, dialect: i.db.Dialect}
		for _, address := range about {
			if err := t.alone("address " + string(address)); err != nil {
				return err
			}
		}
		return fn(tx.Statement.Context, auth.Stores{
			Users:         users{t, i.leave},
			Registrations: registrations{t},
			Challenges:    challenges{t},
			Invitations:   invitations{t},
			Trail:         trail{t, i.sealer},
		})
	})
}
