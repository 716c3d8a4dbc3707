package backup

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/domain/photo"
)

// Picture is one of the two pictures of a photo.
type Picture struct {
	Sum   photo.Sum
	Shown bool // otherwise its photo is being added or deleted
}

// ExpectPictures returns the pictures of all photos in a database by their keys.
func ExpectPictures(ctx context.Context, db *gormstore.DB) (map[string]Picture, error) {
	all := map[string]Picture{}
	err := marketstore.EachPhoto(ctx, db, func(p photo.Photo) error {
		for _, size := range []photo.Size{photo.Large, photo.Thumb} {
			all[p.ID.Key(size)] = Picture{p.SumOf(size), p.State == photo.Shown}
		}
		return nil
	})
	return all, err
}

// IsPicture reports whether a file is a picture, and not a part of one.
func IsPicture(name string) bool {
	return path.Ext(name) == ".jpg" && !strings.HasPrefix(path.Base(name), ".")
}

// EachPicture reads every picture in a folder.
func EachPicture(ctx context.Context, folder string, do func(key string, data []byte) error) error {
	from, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	return fs.WalkDir(from.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err = errors.Join(err, ctx.Err()); err != nil || d.IsDir() || !IsPicture(name) {
			return ignoreDeleted(err)
		}
		data, err := from.ReadFile(name)
		if err != nil {
			return ignoreDeleted(err)
		}
		return do(name, data)
	})
}

// ignoreDeleted drops the error of a picture that was deleted meanwhile.
func ignoreDeleted(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
