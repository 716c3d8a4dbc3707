package config

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/octavo-books/octavo/adapters/blobfile"
	"github.com/octavo-books/octavo/adapters/blobs3"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/fault"
)

const filePrefix = "file:"

func (s *Settings) checkBlobs() error {
	v := &s.Storage
	if v.BlobURL == "" {
		v.BlobURL = filePrefix + filepath.Join(v.DataDir, "photos")
	}
	if folder, ok := s.BlobFolder(); ok {
		if folder == "" {
			return Errorf("BLOB_URL", "needs a folder: file:PATH")
		}
		return nil
	}
	if _, err := s.Bucket(); err != nil {
		return Errorf("BLOB_URL", "%v", err)
	}
	if v.AWSAccessKeyID == "" || v.AWSSecretAccessKey == "" {
		return Errorf("BLOB_URL", "a bucket needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	return nil
}

// BlobFolder returns the folder of the photos; false if they are in a bucket.
func (s *Settings) BlobFolder() (string, bool) {
	return strings.CutPrefix(s.Storage.BlobURL, filePrefix)
}

// Bucket returns the bucket of the photos.
func (s *Settings) Bucket() (blobs3.Config, error) {
	c, err := blobs3.ParseURL(s.Storage.BlobURL)
	c.AccessKeyID, c.SecretAccessKey = s.Storage.AWSAccessKeyID, s.Storage.AWSSecretAccessKey
	return c, err
}

// BackupBucket returns the bucket that an argument of a command names, s3://BUCKET/PREFIX?...
func (s *Settings) BackupBucket(argument, url string) (blobs3.Config, error) {
	c, err := blobs3.ParseURL(url)
	if err != nil {
		return c, Errorf(argument, "%v", err)
	}
	c.AccessKeyID, c.SecretAccessKey = s.Storage.AWSAccessKeyID, s.Storage.AWSSecretAccessKey
	if c.AccessKeyID == "" || c.SecretAccessKey == "" {
		return c, Errorf(argument, "a bucket needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	return c, nil
}

// Blobs is the store of the photos. Check returns an error if it cannot be used.
type Blobs interface {
	selling.BlobStore
	Check(ctx context.Context) error
}

// OpenBlobs opens the store of the photos. A folder that does not exist is created.
func (s *Settings) OpenBlobs() (Blobs, error) {
	var blobs Blobs
	folder, ok := s.BlobFolder()
	bucket, err := s.Bucket()
	if ok {
		blobs, err = blobfile.Open(folder)
	} else if err == nil {
		blobs, err = blobs3.New(bucket)
	}
	switch {
	case err != nil && ok:
		return nil, FileError("BLOB_URL", err)
	case err != nil:
		return nil, Errorf("BLOB_URL", "%v", err)
	}
	return blobs, nil
}

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
