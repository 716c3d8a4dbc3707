package selling

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

// Store is what one transaction may change of what people sell.
type Store interface {
	// EraseUser deletes the comments on all books of a deleted user, and the user's import. It removes all photos of
	// the user, shown or pending.
	EraseUser(ctx context.Context, id user.ID, now time.Time) error

	AddBook(ctx context.Context, b book.Book) error
	// LockBooksForSaleBy loads and locks all books for sale of one seller, in ascending
	// order of their ids.
	LockBooksForSaleBy(ctx context.Context, seller user.ID) ([]book.Book, error)
	// LockBooksListedBefore loads and locks at most n books for sale that were listed at
	// or before t and have ids above after, in ascending order of their ids.
	LockBooksListedBefore(ctx context.Context, t time.Time, after book.ID, n int) ([]book.Book, error)
	// CountBooksListedBefore counts the books for sale that were listed at or before t, and
	// stops at most.
	CountBooksListedBefore(ctx context.Context, t time.Time, most int) (int, error)
	// IsHidden reports whether an open report has taken a book off sale. It locks nothing.
	IsHidden(ctx context.Context, id book.ID) (bool, error)

	// AddPhoto stores that there is a photo. The pictures themselves are in a BlobStore.
	AddPhoto(ctx context.Context, p photo.Photo) error
	// LockPhoto loads and locks a photo in any state; photo.ErrNotFound if there is none.
	LockPhoto(ctx context.Context, id photo.ID) (photo.Photo, error)
	// LockPhotosIn loads and locks at most n photos that have been in a state since then or
	// longer, the lowest ids first. It leaves out those that another transaction has locked.
	LockPhotosIn(ctx context.Context, s photo.State, then time.Time, n int) ([]photo.Photo, error)
	// LockPhotosOf loads and locks the shown photos of a book, in their order.
	LockPhotosOf(ctx context.Context, of book.ID) ([]photo.Photo, error)
	// UpdatePhoto stores the state, dimensions, sums and position of a photo. If its stored state is no
	// longer was, nothing changes and the error is photo.ErrNotFound.
	UpdatePhoto(ctx context.Context, p photo.Photo, was photo.State) error
	// ListUnmeasured lists at most n shown photos without sums whose ids are greater than after,
	// the lowest first.
	ListUnmeasured(ctx context.Context, after photo.ID, n int) ([]photo.Photo, error)
	// CountPhotos counts the shown photos of a book and of its seller. Until the transaction
	// ends, others wait to count those of the same seller.
	CountPhotos(ctx context.Context, of book.ID, owner user.ID) (ofBook, ofOwner int, err error)
	// DeletePhoto deletes the row of a removed photo. A photo in another state stays.
	DeletePhoto(ctx context.Context, id photo.ID) error
	// SaveImport stores a new import with its rows and its valid lines, and replaces the owner's earlier one.
	SaveImport(ctx context.Context, i StoredImport, rows []ImportRow, lines []ImportLine) error
	// ListImportRows lists all rows of a locked import in their order.
	ListImportRows(ctx context.Context, owner user.ID) ([]ImportRow, error)
	// ReplaceImportLines stores other valid lines for a locked import.
	ReplaceImportLines(ctx context.Context, owner user.ID, lines []ImportLine) error
	// CorrectImportRows stores changed rows of a locked import, and those of their lines that are valid now.
	CorrectImportRows(ctx context.Context, owner user.ID, rows []ImportRow, valid []ImportLine) error
	// DeleteValidRows deletes the rows of a locked import that have a valid line.
	DeleteValidRows(ctx context.Context, owner user.ID) error
	// LockImport loads and locks the import of an owner; ErrImportNotFound if there is none.
	LockImport(ctx context.Context, owner user.ID) (StoredImport, error)
	// UpdateImport stores the state of a locked import, its numbers of lines, and how its file is read.
	UpdateImport(ctx context.Context, i StoredImport) error
	// TakeImportLines removes the first n lines of a locked import and returns them.
	TakeImportLines(ctx context.Context, owner user.ID, n int) ([]ImportLine, error)
	// DeleteImportsBefore deletes at most n imports that were created before a time and do not
	// run, and returns how many.
	DeleteImportsBefore(ctx context.Context, then time.Time, n int) (int, error)
}

// Reader reads what people sell and have sold.
type Reader interface {
	market.Reader
	// ListBooksByStatus lists at most n books in a status with ids below before, newest first; 0
	// means no bound. campus is the text.Key of their university; "" selects all.
	ListBooksByStatus(ctx context.Context, s book.Status, campus string, before book.ID, n int) ([]market.BookView, error)
	// FindImport loads the import of an owner; ErrImportNotFound if there is none.
	FindImport(ctx context.Context, owner user.ID) (StoredImport, error)
	// ListRejectedRows lists the first n rows of an import that have no valid line.
	ListRejectedRows(ctx context.Context, owner user.ID, n int) ([]ImportRow, error)
	// ListFirstRows lists the first n rows of an import.
	ListFirstRows(ctx context.Context, owner user.ID, n int) ([]ImportRow, error)
	// ListImportLines lists the first n valid lines of an import that are not posted yet.
	ListImportLines(ctx context.Context, owner user.ID, n int) ([]ImportLine, error)
	// FindPhoto loads a shown photo and its book; photo.ErrNotFound if there is none.
	FindPhoto(ctx context.Context, id photo.ID) (photo.Photo, book.Book, error)
	// ListCovers lists the first shown photo of each book that is not unlisted, as FindPhoto loads it.
	ListCovers(ctx context.Context, of ...book.ID) ([]photo.Photo, error)
	// ListPostsWithISBN lists, newest first, the newest n posts with an ISBN that are for
	// sale and the newest n that are not.
	ListPostsWithISBN(ctx context.Context, isbn book.ISBN, n int) ([]book.Book, error)
	// ListDeliveredSales lists the newest n sales with the key that were delivered at or
	// after since, the last delivered first. Only those with the key of a title have their names.
	ListDeliveredSales(ctx context.Context, key SalesKey, since time.Time, n int) ([]order.Sale, error)
}
