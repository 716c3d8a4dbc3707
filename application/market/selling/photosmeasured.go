package selling

import (
	"context"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/photo"
)

const (
	measureBatch = 20  // of which the pictures are in memory one at a time
	measureMost  = 500 // photos of one call
)

// Measure stores the sums of photos from before there were sums. It goes on where the call
// before has stopped, and begins again at the end: a picture that is missing may come back.
func (s *PhotoSweeper) Measure(ctx context.Context) error {
	for range measureMost / measureBatch {
		var found []photo.Photo
		err := s.deps.WithTx(ctx, func(ctx context.Context, t *tx) (err error) {
			found, err = t.ListUnmeasured(ctx, photo.ID(s.measured.Load()), measureBatch)
			return err
		})
		if err != nil {
			return err
		}
		for _, p := range found {
			if err := s.measure(ctx, p); err != nil {
				return err
			}
			s.measured.Store(int64(p.ID))
		}
		if len(found) < measureBatch {
			s.measured.Store(0)
			return nil
		}
	}
	return nil
}

// measure stores the sums of one photo, if both pictures are there.
func (s *PhotoSweeper) measure(ctx context.Context, p photo.Photo) error {
	sums := [2]photo.Sum{}
	for i, size := range []photo.Size{photo.Large, photo.Thumb} {
		data, err := s.blobs.GetBlob(ctx, p.ID.Key(size))
		switch {
		case fault.KindOf(err) == fault.NotFound:
			return nil
		case err != nil:
			return err
		case photo.Whole(data):
			sums[i] = photo.SumOf(data)
		default:
			sums[i] = photo.Unreadable
		}
	}
	err := s.deps.WithTx(ctx, func(ctx context.Context, t *tx) error {
		stored, err := t.LockPhoto(ctx, p.ID)
		if err != nil || stored.State != photo.Shown {
			return err
		}
		stored.LargeSum, stored.ThumbSum = sums[0], sums[1]
		return t.UpdatePhoto(ctx, stored, photo.Shown)
	})
	if fault.KindOf(err) == fault.NotFound { // it was deleted meanwhile
		return nil
	}
	return err
}
