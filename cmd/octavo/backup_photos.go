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

	"github.com/octavo-books/octavo/cmd/backup"
	"github.com/octavo-books/octavo/cmd/config"
)

// addPhotos copies the photos, if they are in a folder. It runs after the databases were
// copied: every photo in the copies has its pictures by then, and nothing deletes the pictures
// of a photo that is removed meanwhile for market.PhotoGrace.
func addPhotos(ctx context.Context, s *config.Settings, to string, names []string) ([]string, error) {
	folder, ok := photosToCopy(s)
	if !ok {
		return names, nil
	}
	copied := filepath.Join(to, backup.PhotosFolder)
	if err := os.Mkdir(copied, 0o700); err != nil {
		return nil, err
	}
	err := eachPhoto(ctx, folder, func(name string, data []byte) error {
		path := filepath.Join(copied, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		return copyPhoto(data, path)
	})
	backup.SyncFolder(to)
	return append(names, backup.PhotosFolder), err
}

// photosToCopy returns the folder of the photos; false if there is none.
func photosToCopy(s *config.Settings) (folder string, ok bool) {
	folder, ok = s.BlobFolder()
	return folder, ok && !config.FileMissing(folder)
}

// eachPhoto reads every picture in a folder.
func eachPhoto(ctx context.Context, folder string, do func(name string, data []byte) error) error {
	from, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	return fs.WalkDir(from.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		var data []byte
		if err == nil && (d.IsDir() || path.Ext(name) != ".jpg" || strings.HasPrefix(path.Base(name), ".")) {
			return nil
		}
		if err == nil {
			data, err = from.ReadFile(name)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist): // it was deleted meanwhile
			return nil
		case err != nil:
			return err
		}
		return do(name, data)
	})
}

// copyPhoto writes a picture and compares what it has written with what it was given.
func copyPhoto(data []byte, to string) error {
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
