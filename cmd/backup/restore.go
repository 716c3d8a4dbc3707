package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/octavo-books/octavo/cmd/config"
)

// partialRestore is the folder that holds the files until all of them are verified. It lies
// within the target, which may be a mounted volume.
const partialRestore = ".octavo-restore-*"

// Restore downloads a backup to a folder, which must be new or empty. Nothing gets its name in
// the folder before every file was compared with its sum, and the database, which is the first
// file, gets it last. It returns the names.
func (b *Bucket) Restore(ctx context.Context, backup, to string) (names []string, err error) {
	if err := MustBeEmpty(to); err != nil {
		return nil, err
	}
	m, err := b.readManifest(ctx, backup)
	if err != nil {
		return nil, err
	}
	isNew := config.FileMissing(to)
	if err := os.MkdirAll(to, 0o700); err != nil {
		return nil, err
	}
	partial, err := os.MkdirTemp(to, partialRestore) // 0700
	if err != nil {
		return nil, err
	}
	names, err = b.download(ctx, backup, m, partial)
	if err == nil {
		err = errors.Join(ctx.Err(), MustBeEmpty(to, filepath.Base(partial)))
	}
	for _, name := range slices.Backward(names) {
		if err == nil {
			err = os.Rename(filepath.Join(partial, name), filepath.Join(to, name))
		}
	}
	err = errors.Join(err, os.RemoveAll(partial))
	if err != nil && isNew {
		_ = os.Remove(to) // unless it has become somebody's
	}
	SyncFolder(to)
	return names, err
}

// SyncFolder makes the names in a folder survive a power loss, if the system supports it.
func SyncFolder(path string) {
	if f, err := os.Open(path); err == nil { //nolint:gosec // the operator chose it
		_ = f.Sync()
		_ = f.Close()
	}
}

// MustBeEmpty returns an error if the folder contains anything but the named entry and what a
// new file system contains.
func MustBeEmpty(folder string, except ...string) error {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return config.Errorf("FOLDER", "%v", err)
	}
	for _, e := range entries {
		if !slices.Contains(append(except, "lost+found"), e.Name()) {
			return config.Errorf("FOLDER", "%s contains %s: name a new or an empty folder; nothing is overwritten", folder, e.Name())
		}
	}
	return nil
}

// download fills the folder and returns the names of the files in the order of the manifest.
func (b *Bucket) download(ctx context.Context, backup string, m manifest, folder string) (names []string, err error) {
	to, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = to.Close() }()
	for _, f := range m.Files {
		write, name := writeFile, f.Name
		if f.Name == PhotosFile {
			write, name = unpackPhotos, PhotosFolder
		}
		if err := b.downloadFile(ctx, backup, f, func(r io.Reader) error { return write(to, name, r) }); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// downloadFile compares the file with its sum. That a file is damaged comes before the error of
// write, which is a consequence.
func (b *Bucket) downloadFile(ctx context.Context, backup string, f file, write func(io.Reader) error) error {
	body, err := b.open(ctx, backup, "downloading", f)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	read := newSum()
	failed := write(io.TeeReader(body, read))
	if failed == nil || errors.Is(failed, errFormat) {
		if _, err := io.Copy(read, body); err != nil { // what follows the end of the format
			return fmt.Errorf("read %s: %w", b.URL(backup+"/"+f.Name), err)
		}
		if err := b.differs(backup, read.file(f.Name), f); err != nil {
			return err
		}
	}
	if failed != nil {
		return fmt.Errorf("restore %s: %w", b.URL(backup+"/"+f.Name), failed)
	}
	return nil
}

// writeFile writes a new file for its owner only.
func writeFile(to *os.Root, name string, r io.Reader) error {
	f, err := to.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Sync(), f.Close())
}
