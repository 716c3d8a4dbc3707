package marketrows

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/photo"
)

// photosColumn is the shown photos of a book b as one text, so that a list of books needs
// neither a row for each photo nor another query.
const photosColumn = `(SELECT string_agg(ph.id || ':' || ph.width || ':' || ph.height || ':' || ph.created_at || ':' || ph.position, ',')
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
		var n [5]int64
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
		*l = append(*l, photo.Photo{ID: photo.ID(n[0]), State: photo.Shown, Width: int(n[1]), Height: int(n[2]), CreatedAt: rawsql.Time(n[3]), Position: int(n[4])})
	}
	slices.SortFunc(*l, func(a, b photo.Photo) int { return a.Compare(b) })
	return nil
}

// of returns the photos of a book.
func (l photoList) of(b book.Book) []photo.Photo {
	for i := range l {
		l[i].Book, l[i].Owner = b.ID, b.Seller
	}
	return l
}
