package doctor

import (
	"context"
	"errors"
	"os"

	"github.com/octavo-books/octavo/adapters/blobs3"
	"github.com/octavo-books/octavo/cmd/config"
)

// checkBlobs checks where the photos are kept.
func checkBlobs(ctx context.Context, s *config.Settings, parts config.Components) []finding {
	if !parts.Market {
		return nil
	}
	if folder, ok := s.BlobFolder(); ok {
		return checkBlobFolder(s, folder)
	}
	bucket, err := s.Bucket()
	if err == nil {
		var store *blobs3.Store
		if store, err = blobs3.New(bucket); err == nil {
			err = store.Check(ctx)
		}
	}
	if err != nil {
		return []finding{failed("photos", err, "check BLOB_URL, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and that the bucket exists")}
	}
	return []finding{passed("photos", "the bucket %s answers", bucket.Bucket)}
}

func checkBlobFolder(s *config.Settings, folder string) []finding {
	var all []finding
	if !s.SQLite() { // said before the first photo is lost
		all = append(all, warn("photos", "are in a folder of this machine: replicas on other machines do not show them", "with several replicas, set BLOB_URL to a bucket: s3://BUCKET?endpoint=...&region=..."))
	}
	if config.FileMissing(folder) {
		return all // octavo serve creates it
	}
	info, err := os.Stat(folder)
	if err == nil && !info.IsDir() {
		err = errors.New(folder + " is not a folder")
	}
	if err != nil {
		return []finding{failed("photos", err, "check BLOB_URL")}
	}
	return append([]finding{passed("photos", "in the folder %s", folder)}, all...)
}
