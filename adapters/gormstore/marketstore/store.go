package marketstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/buyingstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/findingstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/guardingstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/pushingstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/sellingstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/talkingstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
)

// Store implements the ports of the market. Its own methods only read, except
// Atomically and MarkNotificationsRead.
type Store struct {
	source *marketrows.Source // of all readers
	sealer outboxstore.Sealer
	sellingReader
	buyingReader
	findingReader
	talkingReader
	guardingReader
	pushingReader
}

// New returns a store over a migrated database. The sealer encrypts messages in the outbox.
func New(db *gormstore.DB, sealer outboxstore.Sealer) *Store {
	all := marketrows.NewSource(db)
	return &Store{
		all, sealer,
		sellingstore.NewReader(all), buyingstore.NewReader(all), findingstore.NewReader(all), talkingstore.NewReader(all), guardingstore.NewReader(all),
		pushingstore.NewReader(all),
	}
}

// Atomically implements market.Store. Transactions that touch the same rows run one after the
// other: on SQLite because there is one writer, on Postgres because each locks the rows
// that it is about to change.
func (s *Store) Atomically(ctx context.Context, do func(context.Context, market.Stores) error) error {
	return s.source.DB.Atomically(ctx, func(tx *gorm.DB) error {
		return do(tx.Statement.Context, s.stores(tx))
	})
}

// OnUsersDeleted returns the hook that authstore runs in the transaction that deletes
// accounts.
func (s *Store) OnUsersDeleted(d market.Deps) authstore.OnUserDeleted {
	return func(tx *gorm.DB, who []user.ID, now time.Time) error {
		return d.OnUsersDeleted(tx.Statement.Context, s.stores(tx), who, now)
	}
}

// OnUserWithdrawn returns the hook that authstore runs in the transaction that suspends an
// account or plans its deletion. It runs first in the same transaction before anything else.
func (s *Store) OnUserWithdrawn(d market.Deps, first ...func(context.Context, market.Stores) error) authstore.OnUserWithdrawn {
	return func(tx *gorm.DB, w user.Withdrawal, now time.Time) error {
		for _, do := range first {
			if err := do(tx.Statement.Context, s.stores(tx)); err != nil {
				return err
			}
		}
		return d.OnUserWithdrawn(tx.Statement.Context, s.stores(tx), w, now)
	}
}

// StoresOf returns the stores of a transaction that a sibling has begun.
func (s *Store) StoresOf(tx *gorm.DB) market.Stores { return s.stores(tx) }

// OnUserMoves returns the hook that authstore runs in the transaction that changes the university
// of a user.
func (s *Store) OnUserMoves(d market.Deps) authstore.OnUserMoves {
	return func(tx *gorm.DB, id user.ID) error { return d.OnUserMoves(tx.Statement.Context, s.stores(tx), id) }
}

// OnUserRenamed returns the hook that authstore runs in the transaction that renames a user.
func (s *Store) OnUserRenamed(d market.Deps) authstore.OnUserRenamed {
	return func(tx *gorm.DB, id user.ID) { d.OnUserRenamed(s.stores(tx), id) }
}

func (s *Store) stores(tx *gorm.DB) stores {
	c := marketrows.On(tx)
	return stores{
		s.booksOf(c), users{c}, talkingstore.OpenNotifications(c), outbox{c, s.sealer}, digests{c}, idempotencyKeys{c}, quotas{c}, c,
	}
}

// stores implements market.Stores.
type stores struct {
	books
	users
	talkingstore.Notifications
	outbox
	digests
	idempotencyKeys
	quotas
	handle marketrows.Handle
}

// ListPhotos implements market.Stores.
func (s stores) ListPhotos(ctx context.Context, of ...book.ID) (map[book.ID][]photo.Photo, error) {
	return sellingstore.ListPhotos(ctx, s.handle, of...)
}

func (s stores) Handle() any { return s.handle }

func (s stores) OnCommit(do func()) { gormstore.OnCommit(s.handle.Pool, do) }

// FindOrders implements market.Stores.
func (s stores) FindOrders(ctx context.Context, ids []order.ID) ([]order.Order, error) {
	return marketrows.FindOrders(ctx, s.handle, ids)
}

// AreBlocked implements market.Stores.
func (s stores) AreBlocked(ctx context.Context, a, b user.ID) (bool, error) {
	return marketrows.AreBlocked(ctx, s.handle, a, b)
}

func (s stores) AddJob(ctx context.Context, j job.Job) error {
	return workstore.AddJob(ctx, s.handle.Session, j)
}

func (s stores) TakeJob(ctx context.Context, kind job.Kind, now time.Time) (job.Job, bool, error) {
	return workstore.TakeJob(ctx, s.handle.Session, kind, now)
}

// ForgetUser deletes the notifications first, and the digests after them, as a transaction writes them.
func (s stores) ForgetUser(ctx context.Context, id user.ID) error {
	if err := s.DeleteNotifications(ctx, id); err != nil {
		return err
	}
	for _, statement := range []string{"DELETE FROM mail_digests WHERE user_id = ?", "DELETE FROM quota_uses WHERE user_id = ?"} {
		if _, err := s.handle.Exec(ctx, statement, int64(id)); err != nil {
			return err
		}
	}
	return nil
}

// KeepCurrency locks the row of the currency.
func (s stores) KeepCurrency(ctx context.Context, c money.Currency) (kept string, err error) {
	if _, err := s.handle.Exec(ctx, "INSERT INTO market_currency (id, code) VALUES (1, ?) ON CONFLICT DO NOTHING", c.Code()); err != nil {
		return "", err
	}
	session := s.handle.Session
	if err := session.Raw("UPDATE market_currency SET code = code RETURNING code").Scan(&kept).Error; err != nil || kept == c.Code() {
		return kept, err
	}
	var amounts bool
	if err := session.Raw("SELECT EXISTS (SELECT 1 FROM books) OR EXISTS (SELECT 1 FROM requests WHERE max_price > 0)").Scan(&amounts).Error; err != nil || amounts {
		return kept, err
	}
	_, err = s.handle.Exec(ctx, "UPDATE market_currency SET code = ?", c.Code())
	return c.Code(), err
}
