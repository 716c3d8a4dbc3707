package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"strings"

	"github.com/octavo-books/octavo/adapters/blobs3"
	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
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

// pictures are the stored pictures, by their keys. fits compares one with its sum.
type pictures struct {
	keys map[string]bool
	fits func(key string, sum photo.Sum) (bool, error)
}

// checkPhotosDeeply compares every photo with its pictures: in a folder their content, in a
// bucket their sizes.
func checkPhotosDeeply(ctx context.Context, s *config.Settings) []finding {
	const name = "photos in depth"
	d := s.MainDatabase()
	if d.Embedded() && config.FileMissing(d.Path()) {
		return nil
	}
	stored, err := listPictures(ctx, s)
	if err != nil {
		return []finding{failed(name, err, "check BLOB_URL")}
	}
	db, err := gormstore.Open(ctx, d.URL, slog.New(slog.DiscardHandler))
	if err != nil {
		return []finding{failed(name, err, "check DATABASE_URL")}
	}
	defer func() { _ = db.Close() }()
	var c photoCounts
	if err := marketstore.EachPhoto(ctx, db, func(p photo.Photo) error { return c.count(p, stored) }); err != nil {
		return []finding{failed(name, err, "check BLOB_URL, and the privileges of the database user")}
	}
	return c.findings(name, len(stored.keys))
}

// photoCounts counts photos and what is wrong with their pictures.
type photoCounts struct {
	shown                  int
	missing, damaged       int
	firstMissing, firstBad string
}

// count checks the pictures of a photo and takes them from the stored ones: those that are left
// in the end belong to none.
func (c *photoCounts) count(p photo.Photo, stored pictures) error {
	if p.State == photo.Shown {
		c.shown++
	}
	for _, size := range []photo.Size{photo.Large, photo.Thumb} {
		key := p.ID.Key(size)
		there := stored.keys[key]
		delete(stored.keys, key)
		if p.State != photo.Shown {
			continue
		}
		if !there {
			c.missing++
			c.firstMissing = firstOf(c.firstMissing, key)
			continue
		}
		fits, err := stored.fits(key, p.SumOf(size))
		if err != nil {
			return err
		}
		if !fits {
			c.damaged++
			c.firstBad = firstOf(c.firstBad, key)
		}
	}
	return nil
}

func firstOf(known, next string) string {
	if known != "" {
		return known
	}
	return next
}

func (c *photoCounts) findings(name string, strangers int) (all []finding) {
	if c.missing > 0 {
		all = append(all, failed(name, fmt.Errorf("%d pictures of %d photos are missing, such as %s", c.missing, c.shown, c.firstMissing), lostPhotos))
	}
	if c.damaged > 0 {
		all = append(all, failed(name, fmt.Errorf("%d pictures of %d photos are not what was stored, such as %s", c.damaged, c.shown, c.firstBad), lostPhotos))
	}
	if len(all) == 0 {
		all = append(all, passed(name, "the pictures of %d photos are what was stored", c.shown))
	}
	if strangers > 0 {
		all = append(all, warn(name, fmt.Sprintf("%d pictures belong to no photo", strangers), "the database may be older than the photos; nothing shows or deletes these pictures"))
	}
	return all
}

func listPictures(ctx context.Context, s *config.Settings) (pictures, error) {
	if folder, ok := s.BlobFolder(); ok {
		return picturesIn(ctx, folder)
	}
	bucket, err := s.Bucket()
	if err != nil {
		return pictures{}, err
	}
	objects, err := blobs3.NewObjects(bucket)
	if err != nil {
		return pictures{}, err
	}
	all, err := objects.ListObjects(ctx)
	if err != nil {
		return pictures{}, err
	}
	keys, sizes := map[string]bool{}, map[string]int64{}
	for _, o := range all {
		if isPicture(o.Name) {
			keys[o.Name], sizes[o.Name] = true, o.Size
		}
	}
	return pictures{keys, func(key string, sum photo.Sum) (bool, error) { return sum.FitsSize(sizes[key]), nil }}, nil
}

func picturesIn(ctx context.Context, folder string) (pictures, error) {
	all := pictures{map[string]bool{}, func(string, photo.Sum) (bool, error) { return false, nil }}
	root := os.DirFS(folder)
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && isPicture(name) {
			all.keys[name] = true
		}
		return errors.Join(err, ctx.Err())
	})
	if errors.Is(err, fs.ErrNotExist) { // octavo serve creates it
		return all, ctx.Err()
	}
	all.fits = func(key string, sum photo.Sum) (bool, error) {
		data, err := fs.ReadFile(root, key)
		if errors.Is(err, fs.ErrNotExist) { // it was deleted meanwhile
			return true, nil
		}
		return err == nil && sum.Fits(data), ctx.Err()
	}
	return all, err
}

func isPicture(name string) bool {
	return path.Ext(name) == ".jpg" && !strings.HasPrefix(path.Base(name), ".")
}
