// Package blobfile keeps pictures as files in a folder. It is for one machine: replicas on
// several need a store that they share.
package blobfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"sync/atomic"
	"time"

	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/fault"
)

// Store implements selling.BlobStore. The folder and its files are for this user only, and no
// key leads out of the folder. Each call opens the folder anew, so that it may be unmounted,
// mounted or replaced while the program runs.
type Store struct {
	folder string
	disk   atomic.Uint64 // on which the folder was when it was last in use
}

// partial is the end of the name of a file that is not whole yet. It is derived from the key,
// so that DeleteBlob finds what a crash has left.
const partial = ".part"

// ErrUnavailable means that the folder is missing, or the disk is full or cannot be written or read.
var ErrUnavailable = fault.New(fault.Unavailable, "photos_unavailable", "Pictures cannot be stored or read right now. Please try again.").After(30 * time.Second)

// errUnmounted means that only the place is there at which the disk with the photos was.
var errUnmounted = errors.New("the folder is empty and on another disk than before: it is not mounted")

// Open creates the folder if it does not exist, and checks that it can be opened.
func Open(folder string) (*Store, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	return New(folder)
}

// New is Open for a folder that exists.
func New(folder string) (*Store, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	s := &Store{folder: folder}
	info, err := root.Stat(".")
	if err == nil {
		s.disk.Store(diskOf(info))
	}
	return s, errors.Join(err, root.Close())
}

// Check returns an error if the folder cannot be used. It never creates it: a disk that is not
// mounted would get the photos of another.
func (s *Store) Check(ctx context.Context) error {
	return s.in(ctx, s.checkMounted)
}

// checkMounted refuses the empty folder that is left when a disk was unmounted.
func (s *Store) checkMounted(root *os.Root) error {
	info, err := root.Stat(".")
	if err != nil {
		return err
	}
	now := diskOf(info)
	if now == s.disk.Load() {
		return nil
	}
	found, err := fs.ReadDir(root.FS(), ".")
	if err == nil && len(found) == 0 {
		err = errUnmounted
	}
	if err == nil {
		s.disk.Store(now)
	}
	return err
}

// in calls do with the folder.
func (s *Store) in(ctx context.Context, do func(*os.Root) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	root, err := os.OpenRoot(s.folder)
	if err != nil {
		return unavailable(err)
	}
	err = do(root)
	_ = root.Close()
	if fault.As(err) != nil {
		return err
	}
	return unavailable(err)
}

// PutBlob is selling.BlobStore. Nobody puts two blobs under one key at the same time.
func (s *Store) PutBlob(ctx context.Context, key string, data []byte) error {
	return s.in(ctx, func(root *os.Root) error {
		if err := s.checkMounted(root); err != nil {
			return err
		}
		folder := path.Dir(key)
		err := root.MkdirAll(folder, 0o700)
		if err == nil {
			err = write(root, key+partial, data)
		}
		if err == nil {
			err = root.Rename(key+partial, key)
		}
		if err == nil {
			err = sync(root, folder) // the new name
		}
		if err == nil {
			err = sync(root, ".") // the folder, if it is new
		}
		return err
	})
}

func write(root *os.Root, name string, data []byte) error {
	f, err := root.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

func sync(root *os.Root, folder string) error {
	f, err := root.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(syncFolder(f), f.Close())
}

// GetBlob is selling.BlobStore.
func (s *Store) GetBlob(ctx context.Context, key string) (data []byte, err error) {
	err = s.in(ctx, func(root *os.Root) error {
		data, err = root.ReadFile(key)
		if errors.Is(err, fs.ErrNotExist) {
			err = selling.ErrBlobNotFound
		}
		return err
	})
	return data, err
}

// DeleteBlob is selling.BlobStore.
func (s *Store) DeleteBlob(ctx context.Context, key string) error {
	return s.in(ctx, func(root *os.Root) error {
		for _, name := range []string{key + partial, key} {
			if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	})
}

func unavailable(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w (%w)", ErrUnavailable, err)
}
