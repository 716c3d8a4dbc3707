// Package sellingstore stores what people sell: listings, photos, imports.
package sellingstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

// Reader implements selling.Reader and, of market.Reader, what somebody has posted.
type Reader struct{ *marketrows.Source }

// Store implements selling.Store, but for the books themselves.
type Store struct {
	listings
	photos
	imports
}

// Open returns the room's store in a transaction.
func Open(c marketrows.Handle) Store {
	return Store{listings{c}, photos{c}, imports{c}}
}

// NewReader returns the reader over a source.
func NewReader(of *marketrows.Source) Reader { return Reader{of} }

// EraseUser implements selling.Store.
func (s Store) EraseUser(ctx context.Context, id user.ID, now time.Time) error {
	_, err := table.Of[marketrows.BookRow](s.listings.Session).Where("seller_id = ? AND comments <> ''", id).Assign(ctx, map[string]any{"comments": ""})
	if err != nil {
		return err
	}
	if err := s.deleteImportOf(ctx, id); err != nil {
		return err
	}
	_, err = table.Of[photoRow](s.listings.Session).Where("owner_id = ? AND state <> 2", id).
		Select("state", "changed_at").Updates(ctx, photoRow{State: photo.Removed, ChangedAt: now})
	return err
}
