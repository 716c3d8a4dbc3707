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
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/fault"
)

// Store implements market.BlobStore. The folder and its files are for this user only, and no
// key leads out of the folder.
type Store struct{ root *os.Root }

// partial is the end of the name of a file that is not whole yet. It is derived from the key,
// so that DeleteBlob finds what a crash has left.
const partial = ".part"

// ErrUnavailable means that the disk is full or cannot be written or read.
var ErrUnavailable = fault.New(fault.Unavailable, "photos_unavailable", "Pictures cannot be stored or read right now. Please try again.").After(30 * time.Second)

// Open opens the folder and creates it if it does not exist.
func Open(folder string) (*Store, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(folder)
	return &Store{root}, err
}

// Close closes the folder.
func (s *Store) Close() error { return s.root.Close() }

// PutBlob is market.BlobStore. Nobody puts two blobs under one key at the same time.
func (s *Store) PutBlob(ctx context.Context, key string, data []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	folder := path.Dir(key)
	err := s.root.MkdirAll(folder, 0o700)
	if err == nil {
		err = s.write(key+partial, data)
	}
	if err == nil {
		err = s.root.Rename(key+partial, key)
	}
	if err == nil {
		err = s.sync(folder) // the new name
	}
	if err == nil {
		err = s.sync(".") // the folder, if it is new
	}
	return unavailable(err)
}

func (s *Store) write(name string, data []byte) error {
	f, err := s.root.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

func (s *Store) sync(folder string) error {
	f, err := s.root.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(syncFolder(f), f.Close())
}

// GetBlob is market.BlobStore.
func (s *Store) GetBlob(ctx context.Context, key string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	data, err := s.root.ReadFile(key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, market.ErrBlobNotFound
	}
	return data, unavailable(err)
}

// DeleteBlob is market.BlobStore.
func (s *Store) DeleteBlob(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, name := range []string{key + partial, key} {
		if err := s.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return unavailable(err)
		}
	}
	return nil
}

func unavailable(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w (%w)", ErrUnavailable, err)
}
