package selling

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

// PhotoStore stores which photos there are. The pictures themselves are in a BlobStore.
type PhotoStore interface {
	AddPhoto(ctx context.Context, p photo.Photo) error
	// LockPhoto loads and locks a photo in any state; photo.ErrNotFound if there is none.
	LockPhoto(ctx context.Context, id photo.ID) (photo.Photo, error)
	// LockPhotosIn loads and locks at most n photos that have been in a state since then or
	// longer, the lowest ids first. It leaves out those that another transaction has locked.
	LockPhotosIn(ctx context.Context, s photo.State, then time.Time, n int) ([]photo.Photo, error)
	// UpdatePhoto stores the state, dimensions and sums of a photo. If its stored state is no
	// longer was, nothing changes and the error is photo.ErrNotFound.
	UpdatePhoto(ctx context.Context, p photo.Photo, was photo.State) error
	// ListUnmeasured lists at most n shown photos without sums whose ids are greater than after,
	// the lowest first.
	ListUnmeasured(ctx context.Context, after photo.ID, n int) ([]photo.Photo, error)
	// CountPhotos counts the shown photos of a book and of its seller. Until the transaction
	// ends, others wait to count those of the same seller.
	CountPhotos(ctx context.Context, of book.ID, owner user.ID) (ofBook, ofOwner int, err error)
	// RemovePhotosOf removes all photos of an owner, shown or pending.
	RemovePhotosOf(ctx context.Context, owner user.ID, now time.Time) error
	// DeletePhoto deletes the row of a removed photo. A photo in another state stays.
	DeletePhoto(ctx context.Context, id photo.ID) error
}

// PhotoReader reads photos. Those of a book come with the book, see BookView.
type PhotoReader interface {
	market.ReportCampusReader
	// FindPhoto loads a shown photo and its book; photo.ErrNotFound if there is none.
	FindPhoto(ctx context.Context, id photo.ID) (photo.Photo, book.Book, error)
}

// BlobStore stores pictures under keys such as "12/345.jpg". A fault.Unavailable means that
// a later call may succeed.
type BlobStore interface {
	// PutBlob stores a blob, in the place of one with the same key. When it returns, the blob
	// survives a crash. Readers see the whole blob or none.
	PutBlob(ctx context.Context, key string, data []byte) error
	// GetBlob returns a blob; ErrBlobNotFound if there is none.
	GetBlob(ctx context.Context, key string) ([]byte, error)
	// DeleteBlob deletes a blob, if there is one.
	DeleteBlob(ctx context.Context, key string) error
}

// PictureConverter makes the pictures of a photo from what a seller sends. Both methods
// refuse a picture with an error of package photo.
type PictureConverter interface {
	// CheckPicture refuses, without decoding it, what its header shows not to be a picture
	// within the bounds of package photo.
	CheckPicture(data []byte) error
	// ConvertPicture decodes a picture and encodes it anew. It bounds the memory and the time
	// that this takes. People take turns, and small pictures go before large ones;
	// fault.Unavailable if it waits for too long.
	ConvertPicture(ctx context.Context, by user.ID, data []byte) (photo.Pictures, error)
}
