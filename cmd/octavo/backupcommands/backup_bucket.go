package backupcommands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/octavo-books/octavo/cmd/backup"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

// isBucket reports that an argument names a bucket and not a folder.
func isBucket(argument string) bool { return strings.HasPrefix(argument, "s3:") }

// toBucket copies databases and keys to a folder beside the database, because uploading may take
// longer than a snapshot should be held open, uploads them, and streams the photos.
func (b *Backup) toBucket(ctx context.Context, s *config.Settings, c terminal.Console) error {
	shown := c.StartProgress("backup")
	defer shown.Stop()
	bucket, err := openBucket(s, "DESTINATION", b.Destination, shown)
	if err != nil {
		return err
	}
	upload, err := bucket.Begin(ctx, c.Clock.Now())
	if err != nil {
		return err
	}
	names, lost, err := uploadAll(ctx, s, upload, shown)
	if err == nil {
		err = upload.Finish(ctx)
	}
	if err != nil {
		return err
	}
	var deleted []string
	if err = lost.report(); err == nil { // or older ones are needed
		if deleted, err = upload.DeleteOld(ctx, c.Clock.Now(), b.KeepLast); err != nil {
			err = fmt.Errorf("%s is complete, but older ones were not deleted: %w", bucket.URL(upload.Name), err)
		}
	}
	shown.Stop()
	return errors.Join(
		printEach(c, names, func(name string) string { return bucket.URL(upload.Name + "/" + name) }),
		printEach(c, deleted, func(name string) string { return "deleted " + bucket.URL(name) }), printNotHeld(c, s), err)
}

// openBucket opens the bucket that an argument of a command names.
func openBucket(s *config.Settings, argument, url string, shown *terminal.Progress) (*backup.Bucket, error) {
	cfg, err := s.BackupBucket(argument, url)
	if err != nil {
		return nil, err
	}
	bucket, err := backup.Open(cfg, shown.Report)
	if err != nil {
		return nil, config.Errorf(argument, "%v", err)
	}
	return bucket, nil
}

// uploadAll uploads the photos after the databases were copied, for the reason that addPhotos
// gives, and before the copies are uploaded, which may take long.
func uploadAll(
	ctx context.Context, s *config.Settings, upload *backup.Upload, shown *terminal.Progress,
) (names []string, lost lostPhotos, err error) {
	parent := folderOfDatabase(s)
	if err := removeAbandoned(parent); err != nil {
		return nil, nil, err
	}
	copies, err := os.MkdirTemp(parent, partialBackup+"*") // 0700
	if err != nil {
		return nil, nil, fmt.Errorf("backup: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(copies)) }()
	if names, err = fillBackup(ctx, s, copies, shown); err != nil {
		return nil, nil, err
	}
	expected, err := expectPhotos(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	photos, ok := photosToCopy(s)
	if ok {
		if err := upload.AddStream(
			ctx, backup.PhotosFile, func(w io.Writer) error { return writePhotos(ctx, photos, w, expected) },
		); err != nil {
			return nil, nil, err
		}
	}
	if lost, err = expected.lost(ctx, s); err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		if err := upload.AddFile(ctx, filepath.Join(copies, name)); err != nil {
			return nil, nil, err
		}
	}
	if ok {
		names = append(names, backup.PhotosFile)
	}
	return names, lost, nil
}

func writePhotos(ctx context.Context, folder string, w io.Writer, expected expectedPictures) error {
	archive := backup.NewPhotos(w)
	return errors.Join(backup.EachPicture(ctx, folder, func(name string, data []byte) error {
		expected.found(name, data)
		return archive.Add(name, data)
	}), archive.Close())
}

// folderOfDatabase has room for copies: it is on the disk of the databases.
func folderOfDatabase(s *config.Settings) string {
	for _, d := range s.Databases() {
		if !config.FileMissing(d.Path()) {
			return filepath.Dir(d.Path())
		}
	}
	return s.Storage.DataDir
}

// abandonedAfter is how long a copy may still be in use.
const abandonedAfter = 24 * time.Hour

// removeAbandoned removes the copies that killed backups have left.
func removeAbandoned(parent string) error {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return err
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && strings.HasPrefix(e.Name(), partialBackup) && time.Since(info.ModTime()) > abandonedAfter {
			err = os.RemoveAll(filepath.Join(parent, e.Name()))
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}
