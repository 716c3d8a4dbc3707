package selling

import (
	"context"

	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

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

// PictureConverter makes the pictures of a photo from what a seller sends. All methods
// refuse a picture with an error of package photo.
type PictureConverter interface {
	// CheckPicture refuses, without decoding it, what its header shows not to be a picture
	// within the bounds of package photo.
	CheckPicture(data []byte) error
	// ConvertPicture decodes a picture and encodes it anew. It bounds the memory and the time
	// that this takes. People take turns, and small pictures go before large ones;
	// fault.Unavailable if it waits for too long.
	ConvertPicture(ctx context.Context, by user.ID, data []byte) (photo.Pictures, error)
	// TurnPicture is ConvertPicture of one that it has made before, a quarter turned to the right.
	TurnPicture(ctx context.Context, by user.ID, data []byte) (photo.Pictures, error)
	// CropPicture is ConvertPicture of the part in a frame of one that it has made before.
	CropPicture(ctx context.Context, by user.ID, data []byte, f photo.Frame) (photo.Pictures, error)
}
