package selling

import (
	"context"
	"errors"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

// Exporter exports what people sell.
type Exporter struct{ reader Reader }

// NewExporter returns the exporter.
func NewExporter(r Reader) Exporter { return Exporter{r} }

// Export implements Exporter.
func (x Exporter) Export(ctx context.Context, of user.ID, out *market.Exporting) (err error) {
	out.Books, err = market.ExportList(out, "books", nil, func(before int64, n int) ([]market.BookView, error) {
		return x.reader.ListBooksPostedBy(ctx, of, book.ID(before), n)
	}, func(v market.BookView) int64 { return int64(v.ID) }, func(v market.BookView) market.ExportedBook { return exportedBook(out, v) })
	if err != nil {
		return err
	}
	file, err := x.reader.FindImport(ctx, of)
	switch {
	case errors.Is(err, ErrImportNotFound):
		return nil
	case err == nil:
		out.LastFile = &market.ExportedFile{Lines: file.Accepted, Posted: file.Posted, CreatedAt: file.CreatedAt}
	}
	return err
}

func exportedBook(e *market.Exporting, v market.BookView) market.ExportedBook {
	return market.ExportedBook{
		ID: v.ID.String(), Name: v.Name, Course: v.Course, ISBN: string(v.ISBN), Edition: v.Edition, Condition: v.Condition.String(),
		Price: e.Amount(v.Price), Comments: v.Comments, University: v.University, Status: int(v.Status),
		Available: v.Date, CreatedAt: v.CreatedAt, ListedAt: v.ListedAt, Photos: exportedPhotos(v.Photos),
	}
}

func exportedPhotos(all []photo.Photo) []market.ExportedPhoto {
	out := make([]market.ExportedPhoto, 0, len(all))
	for _, p := range all {
		out = append(out, market.ExportedPhoto{ID: p.ID.String(), Path: p.ID.Path(photo.Large), Width: p.Width, Height: p.Height, CreatedAt: p.CreatedAt})
	}
	return out
}
