package config

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/octavo-books/octavo/adapters/blobfile"
	"github.com/octavo-books/octavo/adapters/blobs3"
	"github.com/octavo-books/octavo/application/market/selling"
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
