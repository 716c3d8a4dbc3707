package guarding

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

// PhotoStore is what one transaction may change of the photos of reports. The pictures themselves are in a BlobStore.
type PhotoStore interface {
	// AddReportPhoto stores a photo.
	AddReportPhoto(ctx context.Context, p report.Photo) error
	// ShowReportPhoto stores the state, dimensions and sums of a photo that is pending. Otherwise nothing changes and
	// the error is photo.ErrNotFound.
	ShowReportPhoto(ctx context.Context, p report.Photo) error
	// CountReportPhotos counts the shown photos of a report.
	CountReportPhotos(ctx context.Context, of report.ID) (int, error)
	// RemoveReportPhotosBy removes the photos of a user.
	RemoveReportPhotosBy(ctx context.Context, owner user.ID, now time.Time) error
	// RemovePendingReportPhotos removes the photos that are pending since then or longer.
	RemovePendingReportPhotos(ctx context.Context, then, now time.Time) error
	// ListRemovedReportPhotos lists at most n photos that were removed at or before then.
	ListRemovedReportPhotos(ctx context.Context, then time.Time, n int) ([]photo.ID, error)
	// DeleteReportPhoto deletes the row of a removed photo. A photo in another state stays.
	DeleteReportPhoto(ctx context.Context, id photo.ID) error
}

// ProblemReader reads what people report about orders.
type ProblemReader interface {
	// ListOrdersReported lists those of the orders about which there is an open report, in ascending order.
	ListOrdersReported(ctx context.Context, ids ...order.ID) ([]order.ID, error)
	// ListReportPhotos lists the shown photos of each report in the order in which they were added.
	ListReportPhotos(ctx context.Context, of ...report.ID) (map[report.ID][]report.Photo, error)
	// FindReportPhoto loads a shown photo and its report; photo.ErrNotFound if there is none.
	FindReportPhoto(ctx context.Context, id photo.ID) (report.Photo, report.Report, error)
	// FindConversationOfOrder finds the conversation of the two people of an order about its book;
	// conversation.ErrNotFound if there is none.
	FindConversationOfOrder(ctx context.Context, id order.ID) (conversation.ID, error)
}

// BlobStore is where the pictures of photos are.
type BlobStore interface {
	// PutBlob stores a blob. When it returns, the blob survives a crash.
	PutBlob(ctx context.Context, key string, data []byte) error
	// GetBlob returns a blob; a fault.NotFound if there is none.
	GetBlob(ctx context.Context, key string) ([]byte, error)
	// DeleteBlob deletes a blob, if there is one.
	DeleteBlob(ctx context.Context, key string) error
}

// PictureConverter makes the pictures of a photo from what somebody sends. Both methods refuse a picture with an error
// of package photo.
type PictureConverter interface {
	// CheckPicture refuses a picture by its header.
	CheckPicture(data []byte) error
	// ConvertPicture decodes a picture and encodes it anew, within bounds of memory and time.
	ConvertPicture(ctx context.Context, by user.ID, data []byte) (photo.Pictures, error)
}
