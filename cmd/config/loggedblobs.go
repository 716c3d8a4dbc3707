package config

import (
	"context"
	"log/slog"
	"sync/atomic"

	"github.com/octavo-books/octavo/domain/fault"
)

// loggedBlobs logs when the store of the photos ceases to work, and when it works again.
type loggedBlobs struct {
	Blobs
	log  *slog.Logger
	down atomic.Bool
}

// ServeBlobs is OpenBlobs for a program that serves: it logs what operators should know of the store.
func (s *Settings) ServeBlobs(log *slog.Logger) (Blobs, error) {
	if folder, ok := s.BlobFolder(); ok && !s.SQLite() && s.Production() {
		log.Warn("BLOB_URL is a folder: replicas on other machines do not show its photos", "folder", folder)
	}
	blobs, err := s.OpenBlobs()
	return &loggedBlobs{Blobs: blobs, log: log}, err
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
