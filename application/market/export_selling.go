package market

import (
	"context"
	"errors"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

// SellerExportReader reads what Sellers exports.
type SellerExportReader interface {
	ListBooksPostedBy(ctx context.Context, seller user.ID, before book.ID, n int) ([]BookView, error)
	ImportReader
}

// ExportOfSellers exports what people sell.
type ExportOfSellers struct{ reader SellerExportReader }

// NewExportOfSellers returns the exporter.
func NewExportOfSellers(r SellerExportReader) ExportOfSellers { return ExportOfSellers{r} }

// Export implements Exporter.
func (x ExportOfSellers) Export(ctx context.Context, of user.ID, out *Exporting) (err error) {
	out.Books, err = ExportList(out, "books", nil, func(before int64, n int) ([]BookView, error) {
		return x.reader.ListBooksPostedBy(ctx, of, book.ID(before), n)
	}, func(v BookView) int64 { return int64(v.ID) }, func(v BookView) ExportedBook { return exportedBook(out, v) })
	if err != nil {
		return err
	}
	file, err := x.reader.FindImport(ctx, of)
	switch {
	case errors.Is(err, ErrImportNotFound):
		return nil
	case err == nil:
		out.LastFile = &ExportedFile{file.Accepted, file.Posted, file.CreatedAt}
	}
	return err
}

func exportedBook(e *Exporting, v BookView) ExportedBook {
	return ExportedBook{
		ID: v.ID.String(), Name: v.Name, Course: v.Course, ISBN: string(v.ISBN), Edition: v.Edition, Condition: v.Condition.String(),
		Price: e.Amount(v.Price), Comments: v.Comments, University: v.University, Status: int(v.Status),
		Available: v.Date, CreatedAt: v.CreatedAt, ListedAt: v.ListedAt, Photos: exportedPhotos(v.Photos),
	}
}

func exportedPhotos(all []photo.Photo) []ExportedPhoto {
	out := make([]ExportedPhoto, 0, len(all))
	for _, p := range all {
		out = append(out, ExportedPhoto{p.ID.String(), p.ID.Path(photo.Large), p.Width, p.Height, p.CreatedAt})
	}
	return out
}
