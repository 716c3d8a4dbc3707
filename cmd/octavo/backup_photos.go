package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/octavo-books/octavo/cmd/config"
)

// photosFolder is the name of the folder of photos in a backup, as in DATA_DIR.
const photosFolder = "photos"

// addPhotos copies the photos, if they are in a folder. It runs after the databases were
// copied: every photo in the copies has its pictures by then, and nothing deletes the pictures
// of a photo that is removed meanwhile for market.PhotoGrace.
func addPhotos(ctx context.Context, s *config.Settings, backup string, names []string) ([]string, error) {
	folder, ok := s.BlobFolder()
	if !ok || config.FileMissing(folder) {
		return names, nil
	}
	from, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = from.Close() }()
	to := filepath.Join(backup, photosFolder)
	if err := copyPhotos(ctx, from, to); err != nil {
		return nil, err
	}
	syncFolder(backup)
	return append(names, photosFolder), nil
}

func copyPhotos(ctx context.Context, from *os.Root, to string) error {
	return fs.WalkDir(from.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err == nil:
			err = ctx.Err()
		case errors.Is(err, fs.ErrNotExist): // it was deleted meanwhile
			return nil
		}
		if err != nil {
			return err
		}
		copied := filepath.Join(to, filepath.FromSlash(name))
		if d.IsDir() {
			return os.Mkdir(copied, 0o700)
		}
		if path.Ext(name) != ".jpg" || strings.HasPrefix(path.Base(name), ".") {
			return nil
		}
		return copyPhoto(from, name, copied)
	})
}

// copyPhoto copies a picture and compares what it has written with what it has read.
func copyPhoto(from *os.Root, name, to string) error {
	data, err := from.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600) //nolint:gosec // the operator chose the folder
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync())
	if err == nil {
		var written []byte
		if _, err = f.Seek(0, io.SeekStart); err == nil {
			written, err = io.ReadAll(f)
		}
		if err == nil && string(written) != string(data) {
			err = errors.New("backup: " + to + " was not written as it was read")
		}
	}
	return errors.Join(err, f.Close())
}
