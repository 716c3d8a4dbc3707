package marketstore

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

// photos is selling.Store.
type photos struct{ conn }

func (s photos) AddPhoto(ctx context.Context, p photo.Photo) error {
	row := photoRow(p)
	return table.Of[photoRow](s.session).Create(ctx, &row)
}

func (s photos) LockPhoto(ctx context.Context, id photo.ID) (photo.Photo, error) {
	row, err := rawsql.Take[photoRow](ctx, table.Of[photoRow](s.session, rawsql.ForUpdate).Where("id = ?", id), photo.ErrNotFound)
	return photo.Photo(row), err
}

func (s photos) LockPhotosIn(ctx context.Context, state photo.State, then time.Time, n int) ([]photo.Photo, error) {
	return rawsql.List(ctx, table.Of[photoRow](s.session, rawsql.SkipLocked).
		Where("state <> 1 AND state = ? AND changed_at <= ?", state, rawsql.Micros(then)).Order("id").Limit(n), (*photoRow).photo)
}

func (s photos) ListUnmeasured(ctx context.Context, after photo.ID, n int) ([]photo.Photo, error) {
	return rawsql.List(ctx, table.Of[photoRow](s.session).Where("state = 1 AND large_sum = 0 AND id > ?", after).Order("id").Limit(n), (*photoRow).photo)
}

func (s photos) UpdatePhoto(ctx context.Context, p photo.Photo, was photo.State) error {
	n, err := table.Of[photoRow](s.session).Where("id = ? AND state = ?", p.ID, was).
		Select("state", "width", "height", "changed_at", "large_sum", "thumb_sum").Updates(ctx, photoRow(p))
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
			n, err = table.Of[photoRow](s.session).Where(condition+" AND state = 1", id).Count(ctx)
		}
		return n
	}
	return count("book_id = ?", of), count("state <> 2 AND owner_id = ?", owner), err
}

func (s photos) ListPhotos(ctx context.Context, of ...book.ID) (map[book.ID][]photo.Photo, error) {
	byBook := map[book.ID][]photo.Photo{}
	if len(of) == 0 {
		return byBook, nil
	}
	rows, err := table.Of[photoRow](s.session).Omit("changed_at", "large_sum", "thumb_sum").Where("book_id IN ? AND state = 1", rawsql.Padded(of)).Order("id").Find(ctx)
	for _, p := range rows {
		byBook[p.Book] = append(byBook[p.Book], photo.Photo(p))
	}
	return byBook, err
}

func (s photos) RemovePhotosOf(ctx context.Context, owner user.ID, now time.Time) error {
	_, err := table.Of[photoRow](s.session).Where("owner_id = ? AND state <> 2", owner).
		Select("state", "changed_at").Updates(ctx, photoRow{State: photo.Removed, ChangedAt: now})
	return err
}

func (s photos) DeletePhoto(ctx context.Context, id photo.ID) error {
	_, err := table.Of[photoRow](s.session).Where("id = ? AND state = ?", id, photo.Removed).Delete(ctx)
	return err
}

// FindPhoto is selling.Reader.
func (s *Store) FindPhoto(ctx context.Context, id photo.ID) (photo.Photo, book.Book, error) {
	type found struct {
		photo.Photo
		of book.Book
	}
	read := func() ([]any, func() found) {
		var p photoRow
		var b bookRow
		return b.columns(&p.ID, &p.Width, &p.Height, rawsql.ScanTime(&p.CreatedAt), rawsql.ScanTime(&p.ChangedAt), &p.LargeSum, &p.ThumbSum), func() found {
			p.Book, p.Owner, p.State = book.ID(b.ID), user.ID(b.SellerID), photo.Shown
			return found{photo.Photo(p), b.book()}
		}
	}
	f, exists, err := rawsql.One(ctx, s.read.Conn, read, "SELECT "+bookColumns+`, p.id, p.width, p.height, p.created_at, p.changed_at, p.large_sum, p.thumb_sum
		FROM photos p JOIN books b ON b.id = p.book_id WHERE p.id = ? AND p.state = 1`, int64(id))
	if err == nil && !exists {
		err = photo.ErrNotFound
	}
	return f.Photo, f.of, err
}

// photosColumn is the shown photos of a book b as one text, so that a list of books needs
// neither a row for each photo nor another query.
const photosColumn = `(SELECT string_agg(ph.id || ':' || ph.width || ':' || ph.height || ':' || ph.created_at, ',')
	FROM photos ph WHERE ph.book_id = b.id AND ph.state = 1)`

// photoList scans photosColumn.
type photoList []photo.Photo

// Scan implements sql.Scanner. It begins a new list, because one destination scans all rows,
// and sorts it, because string_agg does not.
func (l *photoList) Scan(stored any) error {
	*l = nil
	var text string
	switch v := stored.(type) {
	case nil:
		return nil
	case string:
		text = v
	case []byte:
		text = string(v)
	}
	for entry := range strings.SplitSeq(text, ",") {
		var n [4]int64
		fields := strings.Split(entry, ":")
		for i := range n {
			var err error
			if len(fields) != len(n) {
				return fmt.Errorf("photos of a book: %q", text)
			}
			if n[i], err = strconv.ParseInt(fields[i], 10, 64); err != nil {
				return fmt.Errorf("photos of a book: %w", err)
			}
		}
		*l = append(*l, photo.Photo{ID: photo.ID(n[0]), State: photo.Shown, Width: int(n[1]), Height: int(n[2]), CreatedAt: rawsql.Time(n[3])})
	}
	slices.SortFunc(*l, func(a, b photo.Photo) int { return int(min(max(a.ID-b.ID, -1), 1)) })
	return nil
}

// of returns the photos of a book.
func (l photoList) of(b book.Book) []photo.Photo {
	for i := range l {
		l[i].Book, l[i].Owner = b.ID, b.Seller
	}
	return l
}
