package selling

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/octavo-books/octavo/domain/photo"
)

// PhotoSweeper deletes what is left of photos: those that were never shown because something
// failed, and those that were removed. Every replica may run one.
type PhotoSweeper struct {
	deps     unit
	blobs    BlobStore
	measured atomic.Int64 // the photo up to which Measure has looked
}

// newPhotoSweeper returns the use case.
func newPhotoSweeper(d unit, b BlobStore) *PhotoSweeper { return &PhotoSweeper{deps: d, blobs: b} }

const (
	// PhotoGrace is how long a photo stays pending or removed before it is swept. It is longer
	// than any request, so that nobody still writes its pictures, and gives a backup time to
	// copy the pictures of the rows that it has copied.
	PhotoGrace = time.Hour

	photoSweepBatch = 100
)

// Sweep gives up pending photos, and deletes the pictures and then the row of each removed
// one. A crash in between repeats that of one photo. It returns how many photos it deleted.
func (s *PhotoSweeper) Sweep(ctx context.Context) (deleted int, err error) {
	before := s.deps.Clock.Now().Add(-PhotoGrace)
	if err := s.giveUp(ctx, before); err != nil {
		return 0, err
	}
	for {
		found, err := s.listRemoved(ctx, before)
		if err != nil {
			return deleted, err
		}
		for _, p := range found {
			if err := s.delete(ctx, p.ID); err != nil {
				return deleted, err
			}
			deleted++
		}
		if len(found) < photoSweepBatch {
			return deleted, nil
		}
	}
}

// giveUp removes photos that are pending since before.
func (s *PhotoSweeper) giveUp(ctx context.Context, before time.Time) error {
	for {
		var n int
		err := s.deps.WithTx(ctx, func(ctx context.Context, t *tx) error {
			stale, err := t.LockPhotosIn(ctx, photo.Pending, before, photoSweepBatch)
			n = len(stale)
			for _, p := range stale {
				p.Remove(t.Now)
				err = errors.Join(err, t.UpdatePhoto(ctx, p, photo.Pending))
			}
			return err
		})
		if err != nil || n < photoSweepBatch {
			return err
		}
	}
}

func (s *PhotoSweeper) listRemoved(ctx context.Context, before time.Time) (found []photo.Photo, err error) {
	err = s.deps.WithTx(ctx, func(ctx context.Context, t *tx) error {
		found, err = t.LockPhotosIn(ctx, photo.Removed, before, photoSweepBatch)
		return err
	})
	return found, err
}

// delete deletes the pictures outside of a transaction, because that may take long.
func (s *PhotoSweeper) delete(ctx context.Context, id photo.ID) error {
	for _, size := range []photo.Size{photo.Large, photo.Thumb} {
		if err := s.blobs.DeleteBlob(ctx, id.Key(size)); err != nil {
			return fmt.Errorf("delete a photo: %w", err)
		}
	}
	return s.deps.WithTx(ctx, func(ctx context.Context, t *tx) error { return t.DeletePhoto(ctx, id) })
}
