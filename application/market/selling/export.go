package selling

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

// Export exports what people sell.
func Export(r Reader) market.Exporter {
	return func(ctx context.Context, of user.ID, out *market.Exporting) { export(ctx, r, of, out) }
}

func export(ctx context.Context, r Reader, of user.ID, out *market.Exporting) {
	market.ExportList(out, "books", func(before int64, n int) ([]market.BookView, error) {
		return r.ListBooksPostedBy(ctx, of, book.ID(before), n)
	}, func(v market.BookView) int64 { return int64(v.ID) }, func(v market.BookView) ExportedBook { return exportedBook(out, v) })
	var last *ExportedFile // null: none
	file, err := r.FindImport(ctx, of)
	if errors.Is(err, ErrImportNotFound) {
		err = nil
	} else {
		last = &ExportedFile{Lines: file.Accepted, Posted: file.Posted, CreatedAt: file.CreatedAt}
	}
	out.Add("lastFile", last, err)
}

func exportedBook(e *market.Exporting, v market.BookView) ExportedBook {
	return ExportedBook{
		ID: v.ID.String(), Name: v.Name, Course: v.Course, ISBN: string(v.ISBN), Authors: v.Authors, Edition: v.Edition,
		Condition: v.Condition.String(),
		Price:     e.Amount(v.Price), Comments: v.Comments, University: v.University, Status: int(v.Status),
		Available: v.Date, CreatedAt: v.CreatedAt, ListedAt: v.ListedAt, Photos: exportedPhotos(v.Photos),
	}
}

func exportedPhotos(all []photo.Photo) []ExportedPhoto {
	out := make([]ExportedPhoto, 0, len(all))
	for _, p := range all {
		out = append(
			out, ExportedPhoto{ID: p.ID.String(), Path: p.ID.Path(photo.Large), Width: p.Width, Height: p.Height, CreatedAt: p.CreatedAt},
		)
	}
	return out
}

// ExportedBook is a book that the user has posted.
type ExportedBook struct {
	ID         string          `json:"id"`
	Name       string          `json:"name"`
	Course     string          `json:"course"`
	ISBN       string          `json:"isbn"`
	Authors    string          `json:"authors"`
	Edition    int             `json:"edition"`
	Condition  string          `json:"condition"`
	Price      json.Number     `json:"price"`
	Comments   string          `json:"comments"`
	University string          `json:"university"`
	Status     int             `json:"status"`
	Available  time.Time       `json:"available"`
	CreatedAt  time.Time       `json:"createdAt"`
	ListedAt   time.Time       `json:"listedAt"`
	Photos     []ExportedPhoto `json:"photos"`
}

// ExportedPhoto is a photo of a book; the path is that of the JPEG on this service.
type ExportedPhoto struct {
	ID        string    `json:"id"`
	Path      string    `json:"path"`
	Width     int       `json:"width"`
	Height    int       `json:"height"`
	CreatedAt time.Time `json:"createdAt"`
}

// ExportedFile is the last file of books that the user has checked on the pages.
type ExportedFile struct {
	Lines     int       `json:"lines"` // without errors
	Posted    int       `json:"posted"`
	CreatedAt time.Time `json:"createdAt"`
}
