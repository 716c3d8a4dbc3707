package sellingstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

type photoRow struct {
	ID            photo.ID `gorm:"primaryKey;autoIncrement:false"`
	Book          book.ID  `gorm:"column:book_id"`
	Owner         user.ID  `gorm:"column:owner_id"`
	State         photo.State
	Width, Height int
	CreatedAt     time.Time `gorm:"serializer:micros;autoCreateTime:false"`
	ChangedAt     time.Time `gorm:"serializer:micros"`
	LargeSum      photo.Sum
	ThumbSum      photo.Sum
	Position      int
}

// TableName is part of GORM's interface.
func (photoRow) TableName() string { return "photos" }

func (r *photoRow) photo() photo.Photo { return photo.Photo(*r) }

// photos is selling.Store.
type photos struct{ marketrows.Handle }

func (s photos) AddPhoto(ctx context.Context, p photo.Photo) error {
	row := photoRow(p)
	return table.Of[photoRow](s.Session).Create(ctx, &row)
}

func (s photos) LockPhoto(ctx context.Context, id photo.ID) (photo.Photo, error) {
	row, err := rawsql.Take[photoRow](ctx, table.Of[photoRow](s.Session, rawsql.ForUpdate).Where("id = ?", id), photo.ErrNotFound)
	return photo.Photo(row), err
}

func (s photos) LockPhotosIn(ctx context.Context, state photo.State, then time.Time, n int) ([]photo.Photo, error) {
	return rawsql.List(ctx, table.Of[photoRow](s.Session, rawsql.SkipLocked).
		Where("state <> 1 AND state = ? AND changed_at <= ?", state, rawsql.Micros(then)).Order("id").Limit(n), (*photoRow).photo)
}

func (s photos) ListUnmeasured(ctx context.Context, after photo.ID, n int) ([]photo.Photo, error) {
	return rawsql.List(ctx, table.Of[photoRow](s.Session).Where("state = 1 AND large_sum = 0 AND id > ?", after).Order("id").Limit(n), (*photoRow).photo)
}

func (s photos) UpdatePhoto(ctx context.Context, p photo.Photo, was photo.State) error {
	n, err := table.Of[photoRow](s.Session).Where("id = ? AND state = ?", p.ID, was).
		Select("state", "width", "height", "changed_at", "large_sum", "thumb_sum", "position").Updates(ctx, photoRow(p))
	if err == nil && n == 0 {
		err = photo.ErrNotFound
	}
	return err
}

func (s photos) CountPhotos(ctx context.Context, of book.ID, owner user.ID) (ofBook, ofOwner int, err error) {
	if err := s.AdvisoryLock(ctx, "photos of "+owner.String()); err != nil { // or two transactions could both add the last photo
		return 0, 0, err
	}
	count := func(condition string, id any) (n int) {
		if err == nil {
			n, err = table.Of[photoRow](s.Session).Where(condition+" AND state = 1", id).Count(ctx)
		}
		return n
	}
	return count("book_id = ?", of), count("state <> 2 AND owner_id = ?", owner), err
}

func (s photos) DeletePhoto(ctx context.Context, id photo.ID) error {
	_, err := table.Of[photoRow](s.Session).Where("id = ? AND state = ?", id, photo.Removed).Delete(ctx)
	return err
}

func (s photos) LockPhotosOf(ctx context.Context, of book.ID) ([]photo.Photo, error) {
	return rawsql.List(ctx, table.Of[photoRow](s.Session, rawsql.ForUpdate).Where("book_id = ? AND state = 1", of).Order("position, id"), (*photoRow).photo)
}

// FindPhoto is selling.Reader.
func (s Reader) FindPhoto(ctx context.Context, id photo.ID) (photo.Photo, book.Book, error) {
	type found struct {
		photo.Photo
		of book.Book
	}
	read := func() ([]any, func() found) {
		var p photoRow
		var b marketrows.BookRow
		return b.Columns(&p.ID, &p.Width, &p.Height, rawsql.ScanTime(&p.CreatedAt), rawsql.ScanTime(&p.ChangedAt), &p.LargeSum, &p.ThumbSum, &p.Position), func() found {
			p.Book, p.Owner, p.State = book.ID(b.ID), user.ID(b.SellerID), photo.Shown
			return found{photo.Photo(p), b.Book()}
		}
	}
	f, exists, err := rawsql.One(ctx, s.Read.Conn, read, "SELECT "+marketrows.BookColumns+`, p.id, p.width, p.height, p.created_at, p.changed_at, p.large_sum, p.thumb_sum, p.position
		FROM photos p JOIN books b ON b.id = p.book_id WHERE p.id = ? AND p.state = 1`, int64(id))
	if err == nil && !exists {
		err = photo.ErrNotFound
	}
	return f.Photo, f.of, err
}

// ListCovers is selling.Reader.
func (s Reader) ListCovers(ctx context.Context, of ...book.ID) (covers []photo.Photo, err error) {
	if len(of) == 0 {
		return nil, nil
	}
	rows, err := table.Of[photoRow](s.Read.Session).
		Where("book_id IN ? AND state = 1", rawsql.Padded(of)).
		Where("EXISTS (SELECT 1 FROM books b WHERE b.id = photos.book_id AND b.status <> ?)", int(book.Unlisted)).
		Order("book_id, position, id").Find(ctx)
	for _, p := range rows {
		if len(covers) == 0 || covers[len(covers)-1].Book != p.Book {
			covers = append(covers, photo.Photo(p))
		}
	}
	return covers, err
}

// ListPhotos implements market.Stores.
func ListPhotos(ctx context.Context, c marketrows.Handle, of ...book.ID) (map[book.ID][]photo.Photo, error) {
	byBook := map[book.ID][]photo.Photo{}
	if len(of) == 0 {
		return byBook, nil
	}
	rows, err := table.Of[photoRow](c.Session).Omit("changed_at", "large_sum", "thumb_sum").Where("book_id IN ? AND state = 1", rawsql.Padded(of)).Order("position, id").Find(ctx)
	for _, p := range rows {
		byBook[p.Book] = append(byBook[p.Book], photo.Photo(p))
	}
	return byBook, err
}
