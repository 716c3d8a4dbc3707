package backupcommands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/cmd/backup"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/photo"
)

// addPhotos copies the photos, if they are in a folder. It runs after the databases were
// copied: every photo in the copies has its pictures by then, and nothing deletes the pictures
// of a photo that is removed meanwhile for selling.PhotoGrace.
func addPhotos(ctx context.Context, s *config.Settings, to string, names []string) (all []string, lost lostPhotos, err error) {
	expected, err := expectPhotos(ctx, s)
	folder, ok := photosToCopy(s)
	if err != nil || !ok {
		return names, lostPhotos(slices.Sorted(maps.Keys(expected))), err
	}
	copied := filepath.Join(to, backup.PhotosFolder)
	if err := os.Mkdir(copied, 0o700); err != nil {
		return nil, nil, err
	}
	err = backup.EachPicture(ctx, folder, func(name string, data []byte) error {
		expected.found(name, data)
		path := filepath.Join(copied, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		return copyPhoto(data, path)
	})
	if err == nil {
		lost, err = expected.lost(ctx, s)
	}
	backup.SyncFolder(to)
	return append(names, backup.PhotosFolder), lost, err
}

// expectedPictures are the pictures that a backup should find, by their names.
type expectedPictures map[string]photo.Sum

// expectPhotos returns the pictures of all photos that are shown; none if they are in a bucket.
func expectPhotos(ctx context.Context, s *config.Settings) (expectedPictures, error) {
	all := expectedPictures{}
	d := s.MainDatabase()
	if _, ok := s.BlobFolder(); !ok || config.FileMissing(d.Path()) {
		return all, nil
	}
	db, err := gormstore.Open(ctx, d.URL, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	pictures, err := backup.ExpectPictures(ctx, db)
	for key, p := range pictures {
		if p.Shown {
			all[key] = p.Sum
		}
	}
	return all, errors.Join(err, db.Close())
}

// found takes away a picture that is as it was stored.
func (e expectedPictures) found(name string, data []byte) {
	if sum, ok := e[name]; ok && sum.Fits(data) {
		delete(e, name)
	}
}

// lost returns what was not found, unless its photo is no longer shown.
func (e expectedPictures) lost(ctx context.Context, s *config.Settings) (lost lostPhotos, err error) {
	if len(e) == 0 {
		return nil, nil
	}
	still, err := expectPhotos(ctx, s)
	for _, name := range slices.Sorted(maps.Keys(e)) {
		if _, ok := still[name]; ok {
			lost = append(lost, name)
		}
	}
	return lost, err
}

// lostPhotos are the names of pictures that a backup lacks. They are an error of the command,
// although the backup is made: everything else is in it.
type lostPhotos []string

// report returns an error that says what is lost; nil if nothing is.
func (l lostPhotos) report() error {
	if len(l) == 0 {
		return nil
	}
	return fmt.Errorf("backup: made, but %d pictures of photos are missing or are not what was stored, such as %s: restore them from an older backup; octavo doctor --deep counts them", len(l), l[0])
}

// photosToCopy returns the folder of the photos; false if there is none.
func photosToCopy(s *config.Settings) (folder string, ok bool) {
	folder, ok = s.BlobFolder()
	return folder, ok && !config.FileMissing(folder)
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
