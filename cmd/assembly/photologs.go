package assembly

import (
	"context"
	"log/slog"
	"sync/atomic"

	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

// loggedBlobs logs when the store of the photos ceases to work, and when it works again.
type loggedBlobs struct {
	config.Blobs
	log  *slog.Logger
	down atomic.Bool
}

// PutBlob is selling.BlobStore.
func (b *loggedBlobs) PutBlob(ctx context.Context, key string, data []byte) error {
	return b.note(b.Blobs.PutBlob(ctx, key, data))
}

// GetBlob is selling.BlobStore.
func (b *loggedBlobs) GetBlob(ctx context.Context, key string) ([]byte, error) {
	data, err := b.Blobs.GetBlob(ctx, key)
	return data, b.note(err)
}

// DeleteBlob is selling.BlobStore.
func (b *loggedBlobs) DeleteBlob(ctx context.Context, key string) error {
	return b.note(b.Blobs.DeleteBlob(ctx, key))
}

func (b *loggedBlobs) note(err error) error {
	switch {
	case fault.KindOf(err) == fault.Unavailable:
		if !b.down.Swap(true) {
			b.log.Warn("photos cannot be stored or read", "error", err)
		}
	case err == nil && b.down.Swap(false):
		b.log.Info("photos can be stored and read again")
	}
	return err
}

// loggedPictures logs why pictures were refused that are not to blame.
type loggedPictures struct {
	selling.PictureConverter
	log *slog.Logger
}

// ConvertPicture is selling.PictureConverter.
func (p loggedPictures) ConvertPicture(ctx context.Context, by user.ID, data []byte) (photo.Pictures, error) {
	made, err := p.PictureConverter.ConvertPicture(ctx, by, data)
	if fault.KindOf(err) == fault.Unavailable {
		p.log.WarnContext(ctx, "a picture was not converted", "bytes", len(data), "error", err)
	}
	return made, err
}
