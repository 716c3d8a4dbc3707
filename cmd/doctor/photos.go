package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/octavo-books/octavo/adapters/blobs3"
	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/cmd/backup"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/photo"
)

const lostPhotos = "restore the photos from a backup, or let their sellers add them again"

// missingPhotos finds photos whose folder is missing or empty, as after an incomplete restore or
// before its disk is mounted.
func missingPhotos(ctx context.Context, s *config.Settings) ([]finding, error) {
	folder, ok := s.BlobFolder()
	if !ok {
		return nil, nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) || len(entries) > 0 {
		return nil, nil // checkBlobFolder reports other errors
	}
	exist, err := ask(ctx, s.MainDatabase(), marketstore.HasPhotos)
	if err != nil || !exist {
		return nil, err
	}
	return []finding{failed("photos", errors.New("the database has photos, but their folder is missing or empty: "+folder),
		"mount its disk, restore it from a backup, or check BLOB_URL and DATA_DIR, before serving")}, nil
}

// checkPhotosDeeply compares every photo with its pictures: in a folder their content, in a
// bucket their sizes.
func checkPhotosDeeply(ctx context.Context, s *config.Settings) []finding {
	const name = "photos in depth"
	var expected map[string]backup.Picture
	exist, err := ask(ctx, s.MainDatabase(), func(ctx context.Context, db *gormstore.DB) (_ bool, err error) {
		expected, err = backup.ExpectPictures(ctx, db)
		return true, err
	})
	if err != nil {
		return []finding{failed(name, err, "check DATABASE_URL, and the privileges of the database user")}
	}
	if !exist {
		return nil
	}
	c := comparison{expected: expected}
	for _, p := range expected {
		if p.Shown {
			c.shown++
		}
	}
	if err := c.eachStored(ctx, s); err != nil {
		return []finding{failed(name, err, "check BLOB_URL")}
	}
	return c.findings(name)
}

// comparison compares the stored pictures with those that are expected.
type comparison struct {
	expected  map[string]backup.Picture // without those that were found
	shown     int
	damaged   []string
	strangers int
}

// eachStored counts the pictures in the folder or the bucket.
func (c *comparison) eachStored(ctx context.Context, s *config.Settings) error {
	if folder, ok := s.BlobFolder(); ok {
		if config.FileMissing(folder) { // octavo serve creates it
			return nil
		}
		return backup.EachPicture(ctx, folder, func(key string, data []byte) error {
			c.count(key, func(sum photo.Sum) bool { return sum.Fits(data) })
			return nil
		})
	}
	bucket, err := s.Bucket()
	if err != nil {
		return err
	}
	objects, err := blobs3.NewObjects(bucket)
	if err != nil {
		return err
	}
	all, err := objects.ListObjects(ctx)
	for _, o := range all {
		if backup.IsPicture(o.Name) {
			c.count(o.Name, func(sum photo.Sum) bool { return sum.FitsSize(o.Size) })
		}
	}
	return err
}

func (c *comparison) count(key string, fits func(photo.Sum) bool) {
	p, ok := c.expected[key]
	delete(c.expected, key)
	switch {
	case !ok:
		c.strangers++
	case p.Shown && !fits(p.Sum):
		c.damaged = append(c.damaged, key)
	}
}

func (c *comparison) findings(name string) (all []finding) {
	maps.DeleteFunc(c.expected, func(_ string, p backup.Picture) bool { return !p.Shown })
	missing := slices.Sorted(maps.Keys(c.expected))
	if len(missing) > 0 {
		all = append(all, failed(
			name, fmt.Errorf("%d pictures of %d photos are missing, such as %s", len(missing), c.shown/2, missing[0]), lostPhotos,
		))
	}
	if len(c.damaged) > 0 {
		all = append(all, failed(name, fmt.Errorf("%d pictures of %d photos are not what was stored, such as %s", len(c.damaged), c.shown/2, c.damaged[0]), lostPhotos))
	}
	if len(all) == 0 {
		all = append(all, passed(name, "the pictures of %d photos are what was stored", c.shown/2))
	}
	if c.strangers > 0 {
		all = append(all, warn(name, fmt.Sprintf("%d pictures belong to no photo", c.strangers), "the database may be older than the photos; nothing shows or deletes these pictures"))
	}
	return all
}
