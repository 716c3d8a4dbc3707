package backup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/cmd/config"
)

// Upload is a backup that is being made.
type Upload struct {
	Name string

	bucket *Bucket
	files  []file
}

// Begin begins a backup at that time. It fails if the bucket cannot be used.
func (b *Bucket) Begin(ctx context.Context, at time.Time) (*Upload, error) {
	name := at.UTC().Format(nameLayout)
	folders, err := b.folders(ctx)
	if err != nil {
		return nil, err
	}
	if len(folders[name]) > 0 {
		return nil, fmt.Errorf("%s exists already: try again in a second", b.URL(name))
	}
	return &Upload{Name: name, bucket: b}, nil
}

// AddFile uploads a file, which must not change, and reads it back.
func (u *Upload) AddFile(ctx context.Context, path string) error {
	f, err := os.Open(path) //nolint:gosec // the caller made it
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	read := newSum()
	if _, err := io.Copy(read, f); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return u.add(ctx, filepath.Base(path), f, read.size, read)
}

// AddStream uploads what write writes, and reads it back.
func (u *Upload) AddStream(ctx context.Context, name string, write func(io.Writer) error) error {
	r, w := io.Pipe()
	written, failed := newSum(), make(chan error, 1)
	go func() {
		err := write(io.MultiWriter(w, written))
		failed <- err
		_ = w.CloseWithError(err)
	}()
	err := u.add(ctx, name, r, -1, written)
	_ = r.Close() // ends write if the upload failed
	if cause := <-failed; cause != nil && !errors.Is(cause, io.ErrClosedPipe) {
		return cause
	}
	return err
}

// add uploads r and compares what the store has with the sum, which is complete when r ends.
func (u *Upload) add(ctx context.Context, name string, r io.Reader, size int64, sent *sum) error {
	b, object := u.bucket, u.Name+"/"+name
	shown := b.meter("uploading "+name, max(0, size))
	if err := b.objects.PutObject(ctx, object, r, size, shown.add); err != nil {
		return fmt.Errorf("upload %s: %w", b.URL(object), err)
	}
	want := sent.file(name)
	body, err := b.open(ctx, u.Name, "reading back", want)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	stored := newSum()
	if _, err := io.Copy(stored, body); err != nil {
		return fmt.Errorf("read back %s: %w", b.URL(object), err)
	}
	u.files = append(u.files, want)
	return b.differs(u.Name, stored.file(name), want)
}

// Finish makes the backup visible. A restore gives the first file, the database, its name last;
// the photos are uploaded before it.
func (u *Upload) Finish(ctx context.Context) error {
	slices.SortStableFunc(u.files, func(a, b file) int {
		return cmp.Compare(strings.Count(a.Name, PhotosFile), strings.Count(b.Name, PhotosFile))
	})
	return u.bucket.writeManifest(ctx, u.Name, manifest{config.Version(), u.files})
}
